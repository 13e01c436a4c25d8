package dev.weir.engine.report;

import dev.weir.engine.WeirOptions;
import dev.weir.engine.event.AlertMonitor;
import dev.weir.engine.event.AlertRule;
import dev.weir.engine.event.CloudEvent;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventBus;
import dev.weir.engine.event.Subscription;
import dev.weir.engine.event.WebhookSender;
import dev.weir.engine.event.WebhookTarget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Raises the alerts of a configuration: on the event stream, and to their webhooks. Guarded by the engine's monitor.
 */
public final class AlertService implements AutoCloseable {
    /** The capacity of the alert listener's buffer, in events. */
    private static final int BUFFER = 16_384;

    private final EventBus bus;
    private final WeirOptions options;
    private List<AlertRule> rules = List.of();
    private @Nullable Subscription watching;
    private @Nullable WebhookSender sender;

    public AlertService(EventBus bus, WeirOptions options) {
        this.bus = bus;
        this.options = options;
    }

    /** Watches these rules from now on. Rules that are unchanged keep their state. */
    public void follow(List<AlertRule> newRules) {
        if (newRules.equals(rules)) {
            return;
        }
        Map<String, AlertWebhook> hooks = new HashMap<>();
        for (AlertRule rule : newRules) {
            if (rule.webhook() != null) {
                String secret = rule.secret() == null ? options.webhooks().secret() : rule.secret();
                hooks.put(
                        rule.name(),
                        new AlertWebhook(WebhookTarget.parse(rule.webhook().toString()), secret));
            }
        }
        WebhookSender post = hooks.isEmpty() ? null : sender();
        stopWatching();
        rules = newRules;
        if (rules.isEmpty()) {
            return;
        }
        watching = bus.subscribe("alerts", BUFFER, new AlertMonitor(newRules, alert -> raise(alert, hooks, post)));
    }

    @Override
    public void close() {
        stopWatching();
        if (sender != null) {
            sender.close();
        }
    }

    /** The webhook of an alert, and the secret that signs its messages: the alert's own, else that of the options. */
    private record AlertWebhook(
            WebhookTarget target, @Nullable String secret) {}

    private void raise(Event.Alert alert, Map<String, AlertWebhook> hooks, @Nullable WebhookSender post) {
        bus.publish(alert);
        AlertWebhook hook = hooks.get(alert.name());
        if (hook != null && post != null) {
            post.send(hook.target, CloudEvent.of(alert, options.source()), hook.secret);
        }
    }

    private WebhookSender sender() {
        if (sender == null) {
            sender = WebhookSender.create(options.webhooks());
        }
        return sender;
    }

    private void stopWatching() {
        if (watching != null) {
            watching.close();
            watching = null;
        }
    }
}

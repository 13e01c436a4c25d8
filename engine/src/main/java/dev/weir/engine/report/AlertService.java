package dev.weir.engine.report;

import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.event.AlertEpisode;
import dev.weir.engine.event.AlertMonitor;
import dev.weir.engine.event.AlertRule;
import dev.weir.engine.event.CloudEvent;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventBus;
import dev.weir.engine.event.Subscription;
import dev.weir.engine.event.WebhookSender;
import dev.weir.engine.event.WebhookTarget;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Raises the alerts of a configuration, and reports their end: on the event stream, and to their webhooks. Guarded by the
 * engine's monitor.
 */
public final class AlertService implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Weir.class.getName());
    /** The capacity of the alert listener's buffer, in events. */
    private static final int BUFFER = 16_384;
    /** How often episodes are looked at, to see whether they are over. */
    private static final long LOOK_MILLIS = 1000;

    private final EventBus bus;
    private final WeirOptions options;
    private final MutedAlerts muted;
    private List<AlertRule> rules = List.of();
    private @Nullable Watching watching;
    private @Nullable WebhookSender sender;

    public AlertService(EventBus bus, WeirOptions options) {
        this.bus = bus;
        this.options = options;
        this.muted = new MutedAlerts(options.clock());
    }

    /** What watches the current rules. */
    private record Watching(AlertMonitor monitor, Subscription subscription, ScheduledExecutorService timer) {
        void stop() {
            subscription.close();
            timer.shutdownNow();
        }
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
        if (watching != null) {
            watching.stop();
            watching.monitor.endAll(options.clock().instant());
            watching = null;
        }
        rules = newRules;
        if (!rules.isEmpty()) {
            watching = watch(new AlertWebhooks(hooks, post));
        }
    }

    private Watching watch(AlertWebhooks webhooks) {
        AlertMonitor monitor = new AlertMonitor(rules, webhooks::begin, webhooks::end);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "weir-alerts");
            thread.setDaemon(true);
            return thread;
        });
        ScheduledFuture<?> unused =
                timer.scheduleAtFixedRate(() -> look(monitor), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        return new Watching(monitor, bus.subscribe("alerts", BUFFER, monitor), timer);
    }

    /** Logs exceptions, which would otherwise cancel the schedule. */
    private void look(AlertMonitor monitor) {
        try {
            monitor.look(options.clock().instant());
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the end of alerts could not be determined", e);
        }
    }

    /** Returns the alerts whose condition holds. */
    public List<AlertEpisode> episodes() {
        return watching == null ? List.of() : watching.monitor.episodes();
    }

    /** Sends nothing about this alert to webhooks until then; null lets it send again. */
    public void mute(String name, Map<String, String> subject, @Nullable Instant until) {
        muted.mute(name, subject, until);
    }

    @Override
    public void close() {
        if (watching != null) {
            watching.stop();
            watching = null;
        }
        if (sender != null) {
            sender.close();
        }
    }

    /** The webhook of an alert, and the secret that signs its messages: the alert's own, else that of the options. */
    private record AlertWebhook(
            WebhookTarget target, @Nullable String secret) {}

    /** Publishes the beginning and the end of episodes. Called under the monitor's lock. */
    private final class AlertWebhooks {
        private final Map<String, AlertWebhook> hooks;
        private final @Nullable WebhookSender post;
        /** The episodes whose beginning was sent; their end is sent as well. */
        private final Map<MutedAlerts.Alert, Boolean> begun = new HashMap<>();

        AlertWebhooks(Map<String, AlertWebhook> hooks, @Nullable WebhookSender post) {
            this.hooks = hooks;
            this.post = post;
        }

        void begin(Event.Alert alert) {
            bus.publish(alert);
            if (hooks.containsKey(alert.name()) && !muted.contain(alert.name(), alert.subject())) {
                begun.put(new MutedAlerts.Alert(alert.name(), alert.subject()), true);
                send(alert.name(), alert);
            }
        }

        void end(Event.AlertEnded ended) {
            bus.publish(ended);
            if (begun.remove(new MutedAlerts.Alert(ended.name(), ended.subject())) != null) {
                send(ended.name(), ended);
            }
        }

        private void send(String name, Event event) {
            AlertWebhook hook = hooks.get(name);
            if (hook != null && post != null) {
                post.send(hook.target, CloudEvent.of(event, options.source()), hook.secret);
            }
        }
    }

    private WebhookSender sender() {
        if (sender == null) {
            sender = WebhookSender.create(options.webhooks());
        }
        return sender;
    }
}

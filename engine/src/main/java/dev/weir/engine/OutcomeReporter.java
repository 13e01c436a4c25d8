package dev.weir.engine;

import dev.weir.engine.config.WellKnownAttributes;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventBus;
import dev.weir.engine.plan.LimitCharges;
import dev.weir.engine.plan.Plan;
import dev.weir.engine.plan.PreparedRequest;
import dev.weir.engine.report.OutageLog;
import dev.weir.engine.report.SampledUse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts every outcome and, if there is a listener, publishes its events. */
final class OutcomeReporter {
    /** The longest attribute value that an event carries, in characters, so that buffered events stay small. */
    private static final int LONGEST = 256;

    private final EventBus bus;
    private final Counts counts;
    private final InstantSource clock;
    private final OutageLog outageLog;
    /** Gets each request that limits apply to; null for none. */
    volatile @Nullable SampledUse use;
    /** Traces each decision; null for none. */
    volatile @Nullable DecisionTracer tracer;

    OutcomeReporter(EventBus bus, Counts counts, InstantSource clock, OutageLog outageLog) {
        this.bus = bus;
        this.counts = counts;
        this.clock = clock;
        this.outageLog = outageLog;
    }

    void report(PreparedRequest prepared, Outcome outcome) {
        count(prepared, outcome);
        SampledUse present = use;
        if (present != null && !prepared.lacksKey()) {
            present.add(prepared);
        }
        String fullBecause = outcome.fullBecause();
        if (fullBecause != null) {
            outageLog.noteFull(fullBecause);
        } else if (outcome.reason() == Reason.UNAVAILABLE) {
            outageLog.note(outcome.allowed());
        }
        if (!bus.isHeard()) {
            return;
        }
        boolean isPlain = outcome.allowed() && outcome.warnings().isEmpty() && !prepared.hasShadows();
        if (!isPlain || bus.hearsAllowed()) {
            publish(prepared, outcome);
        }
    }

    /** Counts a request to which no limit applied. */
    void reportUnlimited(Plan plan, Request request) {
        (plan.isExempt(request) ? counts.exempt : counts.notLimited).increment();
    }

    private void count(PreparedRequest prepared, Outcome outcome) {
        counts.count(outcome);
        if (!outcome.allowed()) {
            for (LimitResult result : outcome.limits()) {
                if (!result.allowed() && !result.shadow()) {
                    denied(counts.of(result.name()), outcome, result).increment();
                }
            }
            return;
        }
        List<LimitCharges> chargesByLimit = prepared.chargesByLimit();
        for (int i = 0; i < chargesByLimit.size(); i++) {
            chargesByLimit.get(i).limit().counts.allowed.increment();
        }
        List<Warning> warnings = outcome.warnings();
        for (int i = 0; i < warnings.size(); i++) {
            counts.of(warnings.get(i).name()).warned.increment();
        }
        if (prepared.hasShadows()) {
            for (LimitResult result : outcome.limits()) {
                if (result.shadow()) {
                    LimitCounts own = counts.of(result.name());
                    (result.allowed() ? own.allowed : own.shadowDenied).increment();
                }
            }
        }
    }

    private static LongAdder denied(LimitCounts limit, Outcome outcome, LimitResult result) {
        if (outcome.reason() == Reason.UNAVAILABLE) {
            return limit.unavailable;
        }
        return result.retryAfter() == null ? limit.impossible : limit.limited;
    }

    private void publish(PreparedRequest prepared, Outcome outcome) {
        Instant now = clock.instant();
        Map<String, String> attributes = attributes(prepared);
        LimitResult decisive = outcome.decisive();
        if (outcome.allowed()) {
            bus.publish(new Event.Allowed(
                    now,
                    attributes,
                    decisive == null ? null : decisive.name(),
                    decisive == null ? 0 : decisive.remaining()));
            for (Warning warning : outcome.warnings()) {
                bus.publish(new Event.Warned(now, attributes, warning.name(), warning.remaining(), warning.capacity()));
            }
        } else {
            bus.publish(denied(now, prepared, attributes, decisive, outcome));
        }
        for (LimitResult result : outcome.limits()) {
            LimitCharges budget = result.allowed() || result.shadow() ? null : budget(prepared, result);
            if (result.shadow() && !result.allowed()) {
                bus.publish(denied(now, prepared, attributes, result, outcome));
            } else if (budget != null && outcome.reason() != Reason.UNAVAILABLE) {
                String plan =
                        budget.limit().rule.by() == null ? null : budget.row().name();
                bus.publish(new Event.BudgetExhausted(
                        now, attributes, result.name(), plan, result.capacity(), result.cost()));
            }
        }
    }

    /** @param result the result of the limit that refused; null for a penalty */
    private static Event.Denied denied(
            Instant now,
            PreparedRequest prepared,
            Map<String, String> attributes,
            @Nullable LimitResult result,
            Outcome outcome) {
        boolean shadow = result != null && result.shadow();
        Duration retryAfter = result != null && shadow ? result.retryAfter() : outcome.retryAfter();
        return new Event.Denied(
                now,
                attributes,
                key(result == null ? prepared.plan().penaltyPer() : result.keyedBy(), attributes),
                result == null ? "penalty" : result.name(),
                result == null ? "penalty" : result.scope(),
                attributes.get("resource"),
                result == null ? 0 : result.capacity(),
                retryAfter,
                shadow ? 0 : outcome.violations(),
                (!shadow ? outcome.reason() : retryAfter == null ? Reason.IMPOSSIBLE : Reason.LIMITED).text(),
                shadow);
    }

    /** The attributes of a key that the request has, in the order of the key. */
    private static Map<String, String> key(List<String> names, Map<String, String> attributes) {
        Map<String, String> key = new LinkedHashMap<>();
        for (String name : names) {
            String value = attributes.get(name);
            if (value != null) {
                key.put(name, value);
            }
        }
        return key;
    }

    /** The charges of a limit that refused, if it is a budget with variable costs; else null. */
    private static @Nullable LimitCharges budget(PreparedRequest prepared, LimitResult result) {
        return prepared.chargesByLimit().stream()
                .filter(limitCharges -> limitCharges.limit().rule.name().equals(result.name()))
                .filter(limitCharges -> limitCharges.limit().price.isBudget())
                .findFirst()
                .orElse(null);
    }

    /** The attributes that limits use, in normal form, and the well-known attributes even if no limit uses them. */
    private static Map<String, String> attributes(PreparedRequest prepared) {
        return attributes(prepared.plan(), prepared.request(), prepared.values());
    }

    static Map<String, String> attributes(Plan plan, Request request) {
        return attributes(plan, request, plan.values(request));
    }

    private static Map<String, String> attributes(Plan plan, Request request, @Nullable String[] values) {
        Map<String, String> attributes = new HashMap<>();
        for (String name : WellKnownAttributes.NAMES) {
            String value = request.attributes().get(name);
            if (value != null) {
                attributes.put(name, cut(value));
            }
        }
        plan.forEach(values, (name, value) -> attributes.put(name, cut(value)));
        return attributes;
    }

    private static String cut(String value) {
        return value.length() <= LONGEST ? value : value.substring(0, LONGEST) + "…";
    }
}

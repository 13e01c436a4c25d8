package dev.weir.engine.event;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** When to raise an alarm, once per episode. */
public sealed interface AlertRule {

    /** What the alert is called; unique. */
    String name();

    /** Over how long it looks back. */
    Duration within();

    /** Whom to tell, beside the event stream; null for nobody. */
    @Nullable
    URI webhook();

    /** What signs messages to the webhook; null leaves them unsigned. */
    @Nullable
    String secret();

    /**
     * One subject was refused this often (A13). Refusals by a failed store and by shadow limits do not count.
     *
     * @param count from how many violations on, 1 to 10,000
     * @param per the attributes that tell one subject from another; {@code "user|ip"} takes the first present; a request
     *     that lacks one is not looked at; empty counts all together
     */
    record Violations(
            String name,
            int count,
            Duration within,
            List<String> per,
            @Nullable URI webhook,
            @Nullable String secret) implements AlertRule {
        public Violations {
            if (count < 1 || count > 10_000) {
                throw new IllegalArgumentException("violations is " + count + "; it must be 1 to 10000");
            }
            checkWithin(within);
            per = List.copyOf(per);
        }

        @Override
        public String toString() {
            return shown(this, "count=" + count + ", per=" + per);
        }
    }

    /**
     * This share of all requests was refused, by limits or by a failed store (B13).
     *
     * @param percent from what share on, 1 to 100
     * @param minimum how many requests there must be within the duration before a share means anything
     */
    record DeniedShare(
            String name,
            int percent,
            Duration within,
            int minimum,
            @Nullable URI webhook,
            @Nullable String secret) implements AlertRule {
        public DeniedShare {
            if (percent < 1 || percent > 100) {
                throw new IllegalArgumentException("denied-share is " + percent + "%; it must be 1% to 100%");
            }
            if (minimum < 1) {
                throw new IllegalArgumentException("minimum is " + minimum + "; it must be at least 1");
            }
            checkWithin(within);
        }

        @Override
        public String toString() {
            return shown(this, "percent=" + percent + ", minimum=" + minimum);
        }
    }

    private static void checkWithin(Duration within) {
        if (within.compareTo(Duration.ofSeconds(1)) < 0 || within.compareTo(Duration.ofDays(31)) > 0) {
            throw new IllegalArgumentException("within is " + within + "; it must be a second to 31 days");
        }
    }

    /** Says nothing of the webhook's path and the secret. */
    private static String shown(AlertRule rule, String numbers) {
        return rule.name() + "[" + numbers + ", within=" + rule.within() + ", webhook=" + (rule.webhook() != null)
                + ", signed=" + (rule.secret() != null) + "]";
    }
}

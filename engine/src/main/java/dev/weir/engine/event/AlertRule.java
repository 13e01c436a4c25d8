package dev.weir.engine.event;

import dev.weir.DurationText;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The condition of an alert, which is raised once per episode. */
public sealed interface AlertRule {

    /** The unique name of the alert. */
    String name();

    /** The duration that is looked at. */
    Duration within();

    /** The webhook that gets the alert besides the event stream; null for none. */
    @Nullable
    URI webhook();

    /** The secret that signs messages to the webhook; null leaves them unsigned. */
    @Nullable
    String secret();

    /**
     * One subject was refused this often. Refusals by a failed store and by shadow limits do not count.
     *
     * @param count the number of violations from which on it is an alert, 1 to 10,000
     * @param per the attributes that identify a subject; {@code "user|ip"} takes the first present; a request that
     *     lacks one is ignored; empty counts all requests together
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
     * This share of all requests was refused, by limits or by a failed store.
     *
     * @param percent the share from which on it is an alert, 1 to 100
     * @param minimum the fewest requests within the duration for which a share is computed
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
            throw new IllegalArgumentException(
                    "within is " + DurationText.of(within) + "; it must be a second to 31 days");
        }
    }

    /** Contains neither the webhook's path nor the secret. */
    private static String shown(AlertRule rule, String numbers) {
        return rule.name() + "[" + numbers + ", within=" + DurationText.of(rule.within()) + ", webhook="
                + (rule.webhook() != null) + ", signed=" + (rule.secret() != null) + "]";
    }
}

package dev.weir.engine.config;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** When to raise an alarm, once per episode. */
public sealed interface AlertRule {
    /** The stretch of time that is looked at. */
    Duration within();

    /** Whom to tell, beside the event stream; null for nobody. */
    @Nullable
    URI webhook();

    /** What signs messages to the webhook; null leaves them unsigned. */
    @Nullable
    String secret();

    /**
     * One subject was refused often.
     *
     * @param count how many violations, at least 1
     * @param per the attributes that tell subjects apart; empty counts all together
     */
    record Violations(
            long count,
            Duration within,
            List<String> per,
            @Nullable URI webhook,
            @Nullable String secret) implements AlertRule {
        public Violations {
            per = List.copyOf(per);
        }

        /** Says nothing of the webhook's path and the secret. */
        @Override
        public String toString() {
            return "Violations[count=" + count + ", within=" + within + ", per=" + per + ", webhook="
                    + (webhook != null) + ", signed=" + (secret != null) + "]";
        }
    }

    /**
     * A large share of all requests was refused.
     *
     * @param percent how many of a hundred, 1 to 100
     */
    record DeniedShare(
            int percent,
            Duration within,
            @Nullable URI webhook,
            @Nullable String secret) implements AlertRule {

        /** Says nothing of the webhook's path and the secret. */
        @Override
        public String toString() {
            return "DeniedShare[percent=" + percent + ", within=" + within + ", webhook=" + (webhook != null)
                    + ", signed=" + (secret != null) + "]";
        }
    }
}

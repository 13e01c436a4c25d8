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
            @Nullable URI webhook) implements AlertRule {
        public Violations {
            per = List.copyOf(per);
        }
    }

    /**
     * A large share of all requests was refused.
     *
     * @param percent how many of a hundred, 1 to 100
     */
    record DeniedShare(
            int percent, Duration within, @Nullable URI webhook) implements AlertRule {}
}

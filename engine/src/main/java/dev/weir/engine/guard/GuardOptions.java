package dev.weir.engine.guard;

import dev.weir.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The deadline and the circuit breaker of a store.
 *
 * @param deadline how long one call may take; null for the store's own deadline
 * @param tolerance the number of consecutive failures that opens the circuit breaker
 * @param pause how long the breaker stays open before the next trial call
 */
public record GuardOptions(@Nullable Duration deadline, int tolerance, Duration pause) {
    public GuardOptions {
        if (deadline != null) {
            positive("deadline", deadline);
        }
        positive("pause", pause);
        if (tolerance < 1) {
            throw new IllegalArgumentException("tolerance is " + tolerance + "; it must be at least 1");
        }
    }

    /**
     * The store's own deadline; the breaker opens after five consecutive failures and allows a trial every half second.
     */
    public static GuardOptions defaults() {
        return new GuardOptions(null, 5, Duration.ofMillis(500));
    }

    public GuardOptions withDeadline(Duration newDeadline) {
        return new GuardOptions(newDeadline, tolerance, pause);
    }

    private static void positive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero() || duration.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + DurationText.of(duration) + "; it must be positive and at most a minute");
        }
    }
}

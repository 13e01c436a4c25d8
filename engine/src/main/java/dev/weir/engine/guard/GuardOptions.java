package dev.weir.engine.guard;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How patient the engine is with its store.
 *
 * @param deadline how long one call may take; null for as long as the store says that it needs
 * @param tolerance after how many failures in a row the store is given up for a while
 * @param pause how long until it is tried again
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

    /** As long a call as the store needs; given up after five failures in a row, tried again every half second. */
    public static GuardOptions defaults() {
        return new GuardOptions(null, 5, Duration.ofMillis(500));
    }

    public GuardOptions withDeadline(Duration newDeadline) {
        return new GuardOptions(newDeadline, tolerance, pause);
    }

    private static void positive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero() || duration.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + duration + "; it must be longer than nothing and at most a minute");
        }
    }
}

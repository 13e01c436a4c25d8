package dev.weir;

import java.time.Duration;

/** The argument checks of policies; each message names the value found and the values allowed. */
final class Require {
    static final Duration SHORTEST = Duration.ofMillis(1);
    static final Duration LONGEST = Duration.ofDays(36_525);

    private Require() {}

    static void count(String name, long value) {
        if (value < 1) {
            throw new ArgumentException(
                    name,
                    name + " is " + value
                            + "; it must be at least 1 (Policy.closed() is the limit that refuses everything)");
        }
        if (value > Policy.MAX_COUNT) {
            throw new ArgumentException(
                    name,
                    name + " is " + value + "; it must be at most " + Policy.MAX_COUNT
                            + " so that every store holds it exactly");
        }
    }

    static void period(Duration period) {
        if (period.compareTo(SHORTEST) < 0 || period.compareTo(LONGEST) > 0) {
            throw new ArgumentException(
                    "period",
                    "period is " + DurationText.of(period) + "; it must be " + DurationText.of(SHORTEST) + " to "
                            + DurationText.of(LONGEST) + " (a hundred years)");
        }
    }

    /** A hash of a policy's numbers that takes a few multiplications, because every decision looks its policy up. */
    static int hash(int kind, long count, long more, Duration period) {
        long mixed = (count * 31 + more) * 0x9E3779B97F4A7C15L + period.getSeconds() * 0xC2B2AE3D27D4EB4FL;
        return Long.hashCode(mixed + period.getNano()) * 31 + kind;
    }
}

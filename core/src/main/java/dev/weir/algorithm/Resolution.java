package dev.weir.algorithm;

import java.time.Duration;

/** The unit of a clock. Time is always a whole number of ticks; a policy's own numbers are never rounded. */
public enum Resolution {
    NANOS(1),
    MICROS(1_000),
    MILLIS(1_000_000),
    SECONDS(1_000_000_000);

    private final long nanosPerTick;

    Resolution(long nanosPerTick) {
        this.nanosPerTick = nanosPerTick;
    }

    public long nanosPerTick() {
        return nanosPerTick;
    }

    /** The tick that contains an instant. Divides by constants, which the compiler turns into multiplications. */
    public long fromNanos(long nanos) {
        return switch (this) {
            case NANOS -> nanos;
            case MICROS -> nanos / 1_000;
            case MILLIS -> nanos / 1_000_000;
            case SECONDS -> nanos / 1_000_000_000;
        };
    }

    /** Whether a period is a whole number of ticks, and at least a thousand of them. */
    boolean divides(Duration period) {
        long nanos = period.toNanos();
        return nanos % nanosPerTick == 0 && nanos / nanosPerTick >= 1_000;
    }

    /** Converts a duration that {@link #toDuration} returned back to ticks. */
    public long toTicks(Duration duration) {
        return Math.addExact(
                Math.multiplyExact(duration.getSeconds(), 1_000_000_000 / nanosPerTick),
                duration.getNano() / nanosPerTick);
    }

    public Duration toDuration(long ticks) {
        return switch (this) {
            case NANOS -> Duration.ofNanos(ticks);
            case MICROS -> Duration.ofSeconds(ticks / 1_000_000, ticks % 1_000_000 * 1_000);
            case MILLIS -> Duration.ofMillis(ticks);
            case SECONDS -> Duration.ofSeconds(ticks);
        };
    }
}

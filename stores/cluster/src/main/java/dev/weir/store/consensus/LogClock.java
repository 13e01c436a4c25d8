package dev.weir.store.consensus;

/**
 * The cluster's time as one node knows it: microseconds since 1970 that advance evenly from leader to leader.
 *
 * <p>The first leader takes it from its wall clock. Every entry of the log carries it. Each node advances the time of the
 * latest entry by its own monotonic clock, and a new leader continues from there. That is never later than the real
 * time, so a wrong wall clock refills no budget early; and it is earlier by at most the delay of a message.
 */
public final class LogClock {
    private final Clock clock;
    private long baseMicros = -1;
    private long lastNanos;
    private long passedNanos;

    LogClock(Clock clock) {
        this.clock = clock;
        this.lastNanos = clock.nanos();
    }

    /** The source of time. */
    public interface Clock {
        /** Nanoseconds since some origin; a step back counts as no time. */
        long nanos();

        /** Milliseconds since 1970 by the wall clock. */
        long epochMillis();

        Clock SYSTEM = new Clock() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public long epochMillis() {
                return System.currentTimeMillis();
            }
        };
    }

    /** Sets the time to that of an entry. */
    void set(long micros) {
        baseMicros = micros;
        passedNanos = 0;
        lastNanos = clock.nanos();
    }

    /** The time; -1 if this node has not learned it since it started. */
    long micros() {
        long nanos = clock.nanos();
        passedNanos += Math.max(0, nanos - lastNanos);
        lastNanos = nanos;
        return baseMicros < 0 ? -1 : baseMicros + passedNanos / 1_000;
    }
}

package dev.weir.store.raft;

/**
 * The cluster's time as one node knows it: microseconds since 1970 that run evenly from leader to leader.
 *
 * <p>The first leader takes it from its wall clock. From then on it runs by the leaders' monotonic clocks: every sign of
 * life carries it, each node lets it run on from there, and whoever leads next goes on with the latest that its voters
 * know. That is never later than the time really is, so no leader's clock, however wrong, gives anything back early; and
 * it is earlier by no more than a message takes.
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

    /** Where time comes from. */
    public interface Clock {
        /** Nanoseconds since some origin; a step back counts as no time at all. */
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

    /** The leader has said what time it is. */
    void set(long micros) {
        baseMicros = micros;
        passedNanos = 0;
        lastNanos = clock.nanos();
    }

    /** The time; -1 for a node that has not heard it since it began. */
    long micros() {
        long nanos = clock.nanos();
        passedNanos += Math.max(0, nanos - lastNanos);
        lastNanos = nanos;
        return baseMicros < 0 ? -1 : baseMicros + passedNanos / 1_000;
    }

    long wallMillis() {
        return clock.epochMillis();
    }
}

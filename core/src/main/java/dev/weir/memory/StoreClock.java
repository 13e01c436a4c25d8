package dev.weir.memory;

import java.util.concurrent.TimeUnit;

/** The clock of a memory store: nanoseconds since its origin, beginning with {@link #START}, never going back. */
abstract class StoreClock {
    /** Later than zero on every resolution, so that the time of an unused state is always in the past. */
    static final long START = TimeUnit.SECONDS.toNanos(2);

    /** The largest time of packed states: a clock that reaches it stands still. */
    static final long HORIZON = TimeUnit.DAYS.toNanos(50 * 365);

    /** The time, possibly a little late if this clock {@link #lags()}. */
    abstract long now();

    /** The time without delay. */
    abstract long precise();

    /** Whether {@link #now()} may be behind {@link #precise()}; a refusal must then be checked again. */
    abstract boolean lags();

    /** Converts a time of this clock to the wall clock's, in milliseconds since 1970. */
    abstract long epochMillis(long now);

    /** Whether the wall clock was observed to be set back by more than its tolerated drift. */
    boolean wasSetBack() {
        return false;
    }

    void close() {}

    /** {@link System#nanoTime()}, with the wall clock read once a second. */
    static class Precise extends StoreClock {
        private static final long SYNC_INTERVAL = TimeUnit.SECONDS.toNanos(1);
        private static final long TOLERANCE_MILLIS = 1_000;

        /** One for the process, so that the compiler treats it as a constant. */
        private static final long ORIGIN = System.nanoTime() - START;

        private volatile Sync sync = new Sync(precise(), System.currentTimeMillis());

        private volatile boolean setBack;

        private record Sync(long at, long epochMillis) {
            long at(long now) {
                return epochMillis + Math.floorDiv(now - at, 1_000_000);
            }
        }

        @Override
        long now() {
            return System.nanoTime() - ORIGIN;
        }

        @Override
        final long precise() {
            return System.nanoTime() - ORIGIN;
        }

        @Override
        boolean lags() {
            return false;
        }

        @Override
        final long epochMillis(long now) {
            Sync known = sync;
            if (now - known.at > SYNC_INTERVAL) {
                Sync before = known;
                known = new Sync(precise(), System.currentTimeMillis());
                setBack |= known.epochMillis < before.at(known.at) - TOLERANCE_MILLIS;
                sync = known;
            }
            return known.at(now);
        }

        @Override
        final boolean wasSetBack() {
            return setBack;
        }
    }

    /** A given time source without steps back: a step back counts as no elapsed time, and time continues from there. */
    static final class Steady extends StoreClock {
        private final TimeSource source;
        private long lastRaw;
        private long last = START;
        /** The largest lead of the wall clock over this one, in milliseconds. */
        private long ahead = Long.MIN_VALUE + 1;

        private boolean setBack;

        Steady(TimeSource source) {
            this.source = source;
            this.lastRaw = source.nanos();
        }

        @Override
        synchronized long now() {
            long raw = source.nanos();
            last = Math.min(last + Math.max(0, raw - lastRaw), HORIZON);
            lastRaw = raw;
            return last;
        }

        @Override
        long precise() {
            return now();
        }

        @Override
        boolean lags() {
            return false;
        }

        @Override
        synchronized long epochMillis(long now) {
            long present = now();
            long wall = source.epochMillis();
            // Rounding may lose a millisecond.
            setBack |= wall - present / 1_000_000 < ahead - 1;
            ahead = Math.max(ahead, wall - present / 1_000_000);
            return wall - Math.floorDiv(present - now, 1_000_000);
        }

        @Override
        synchronized boolean wasSetBack() {
            return setBack;
        }
    }
}

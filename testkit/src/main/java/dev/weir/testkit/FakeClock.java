package dev.weir.testkit;

import dev.weir.memory.TimeSource;
import java.time.Duration;
import java.time.Instant;

/**
 * A clock that stands still until a test moves it.
 *
 * <p>It begins at {@link #START}. The wall clock follows {@link #nanos()}, and can be stepped apart from it. Safe for
 * use by any number of threads.
 */
public final class FakeClock implements TimeSource {
    /** What the wall shows at first. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final long START_NANOS = START.getEpochSecond() * 1_000_000_000;

    /** Since {@link #START}. Guarded by this. */
    private long nanos;
    /** By how much the wall clock is ahead of {@link #nanos}. Guarded by this. */
    private long wallAhead;

    @Override
    public synchronized long nanos() {
        return nanos;
    }

    @Override
    public synchronized long epochMillis() {
        return Math.floorDiv(Math.addExact(START_NANOS, nanos + wallAhead), 1_000_000);
    }

    /** The time since the epoch by a clock that no step of the wall moves, in microseconds. */
    public long epochMicros() {
        return Math.floorDiv(Math.addExact(START_NANOS, nanos()), 1_000);
    }

    /** What the wall shows. */
    public Instant wall() {
        return Instant.ofEpochMilli(epochMillis());
    }

    /** Lets time pass. */
    public void advance(Duration by) {
        move(requireForward(by));
    }

    /** Steps both the clock and the wall clock back, as no real time does. */
    public void stepBack(Duration by) {
        move(-requireForward(by));
    }

    /** Moves both clocks, forward or back, to where the wall shows this. */
    public synchronized void set(Instant wall) {
        move(Duration.between(START, wall).toNanos() - nanos - wallAhead);
    }

    /** Sets the wall clock alone, forward or back (with a negative duration), as an administrator does. */
    public synchronized void stepWall(Duration by) {
        wallAhead = Math.addExact(wallAhead, by.toNanos());
    }

    private synchronized void move(long by) {
        nanos = Math.addExact(nanos, by);
    }

    private static long requireForward(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("by is " + by + "; it must be zero or more");
        }
        return by.toNanos();
    }
}

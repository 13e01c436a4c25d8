package dev.weir.testkit;

import dev.weir.DurationText;
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
    /** The wall-clock time at the start. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final long START_NANOS = START.getEpochSecond() * 1_000_000_000;

    /** Nanoseconds since {@link #START}. Guarded by this. */
    private long nanos;
    /** Nanoseconds by which the wall clock is ahead of {@link #nanos}. Guarded by this. */
    private long wallAhead;

    @Override
    public synchronized long nanos() {
        return nanos;
    }

    @Override
    public synchronized long epochMillis() {
        return Math.floorDiv(Math.addExact(START_NANOS, nanos + wallAhead), 1_000_000);
    }

    /** Microseconds since the epoch, unaffected by steps of the wall clock. */
    public long epochMicros() {
        return Math.floorDiv(Math.addExact(START_NANOS, nanos()), 1_000);
    }

    /** The wall-clock time. */
    public Instant wall() {
        return Instant.ofEpochMilli(epochMillis());
    }

    /** Advances both clocks. */
    public void advance(Duration by) {
        move(requireForward(by));
    }

    /** Steps both clocks back, which real time never does. */
    public void stepBack(Duration by) {
        move(-requireForward(by));
    }

    /** Sets both clocks, forward or back, so that the wall clock shows this time. */
    public synchronized void set(Instant wall) {
        move(Duration.between(START, wall).toNanos() - nanos - wallAhead);
    }

    /** Steps the wall clock alone, forward or (with a negative duration) back, as an administrator does. */
    public synchronized void stepWall(Duration by) {
        wallAhead = Math.addExact(wallAhead, by.toNanos());
    }

    private synchronized void move(long by) {
        nanos = Math.addExact(nanos, by);
    }

    private static long requireForward(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("by is " + DurationText.of(by) + "; it must be zero or more");
        }
        return by.toNanos();
    }
}

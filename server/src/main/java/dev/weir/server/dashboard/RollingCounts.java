package dev.weir.server.dashboard;

import dev.weir.engine.json.Json;
import java.util.Arrays;

/**
 * Counts events over a sliding time window: sums per time interval, in a ring that drops intervals older than the
 * window.
 *
 * <p>Callers pass the time, in seconds; a time before the latest interval counts as the latest. Not thread-safe.
 */
final class RollingCounts {
    private final int slots;
    private final int slotSeconds;
    private final int series;
    private final long[] sums;
    /** The cumulative counts when last read. */
    private final long[] before;

    /** The number of the latest interval since the epoch; negative before the first. */
    private long latest = -1;

    RollingCounts(int slots, int slotSeconds, int series) {
        this.slots = slots;
        this.slotSeconds = slotSeconds;
        this.series = series;
        this.sums = new long[slots * series];
        this.before = new long[series];
    }

    void add(long second, int which, long amount) {
        advance(second);
        sums[place(latest) + which] += amount;
    }

    /** Reads cumulative counts, and adds their increase since the last reading. */
    void read(long second, long... counts) {
        advance(second);
        int place = place(latest);
        for (int i = 0; i < series; i++) {
            sums[place + i] += Math.max(0, counts[i] - before[i]);
            before[i] = counts[i];
        }
    }

    long sum(long second, int which) {
        advance(second);
        long sum = 0;
        for (int i = which; i < sums.length; i += series) {
            sum += sums[i];
        }
        return sum;
    }

    /** Returns the sum of the newest intervals only. */
    long sum(long second, int which, int newest) {
        advance(second);
        long sum = 0;
        for (int back = 0; back < Math.min(newest, slots); back++) {
            sum += sums[place(latest - back) + which];
        }
        return sum;
    }

    /** Writes one series, oldest first, as an array that is a member of the open object. */
    void write(Json json, String name, int which, int newest) {
        json.name(name).open('[');
        for (long slot = latest - Math.min(newest, slots) + 1; slot <= latest; slot++) {
            json.value(slot < 0 ? 0 : sums[place(slot) + which]);
        }
        json.close(']');
    }

    /** Returns one number, so many intervals before the latest. */
    long value(int which, int back) {
        return latest - back < 0 ? 0 : sums[place(latest - back) + which];
    }

    /** Writes the first series as of this time. */
    void writeAt(Json json, long second, String name) {
        advance(second);
        write(json, name, 0, slots);
    }

    /** Returns the start of the latest interval, in seconds since the epoch. */
    long latestAt() {
        return latest * slotSeconds;
    }

    int slotSeconds() {
        return slotSeconds;
    }

    private void advance(long second) {
        long slot = second / slotSeconds;
        if (slot - latest >= slots) {
            Arrays.fill(sums, 0);
            latest = slot;
        }
        while (latest < slot) {
            latest++;
            Arrays.fill(sums, place(latest), place(latest) + series, 0);
        }
    }

    private int place(long slot) {
        return (int) Math.floorMod(slot, (long) slots) * series;
    }
}

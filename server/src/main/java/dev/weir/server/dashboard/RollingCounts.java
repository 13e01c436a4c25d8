package dev.weir.server.dashboard;

import dev.weir.engine.json.Json;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * Counts events over a sliding time window: sums per time interval, in a ring that drops intervals older than the
 * window.
 *
 * <p>Callers pass the time, in seconds; a time before the latest interval counts as the latest. Not thread-safe.
 */
final class RollingCounts {
    private static final int MOST_SLOTS = 2000;
    private static final int MOST_SERIES = 16;

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

    /** Replaces a number of the latest interval. */
    void set(long second, int which, long value) {
        advance(second);
        sums[place(latest) + which] = value;
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

    /** Returns how many intervals, counted back from the latest, contain or follow this time. */
    int intervalsSince(long second) {
        return (int) Math.max(0, Math.min(slots, latest - second / slotSeconds + 1));
    }

    /** Returns the start of the latest interval, in seconds since the epoch. */
    long latestAt() {
        return latest * slotSeconds;
    }

    /** Whether the other has the same intervals and numbers. */
    boolean hasShapeOf(RollingCounts other) {
        return slots == other.slots && slotSeconds == other.slotSeconds && series == other.series;
    }

    /** Returns a copy that has read no cumulative count. */
    RollingCounts copy() {
        RollingCounts copy = new RollingCounts(slots, slotSeconds, series);
        System.arraycopy(sums, 0, copy.sums, 0, sums.length);
        copy.latest = latest;
        return copy;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeInt(slots);
        out.writeInt(slotSeconds);
        out.writeInt(series);
        out.writeLong(latest);
        for (long sum : sums) {
            out.writeLong(sum);
        }
    }

    /**
     * Reads what {@link #write(DataOutputStream)} has written.
     *
     * @throws IOException if that cannot have been written
     */
    static RollingCounts read(DataInputStream in) throws IOException {
        int slots = in.readInt();
        int slotSeconds = in.readInt();
        int series = in.readInt();
        if (slots < 1 || slots > MOST_SLOTS || slotSeconds < 1 || series < 1 || series > MOST_SERIES) {
            throw new IOException("it has a series of another shape");
        }
        RollingCounts counts = new RollingCounts(slots, slotSeconds, series);
        counts.latest = in.readLong();
        for (int i = 0; i < counts.sums.length; i++) {
            counts.sums[i] = in.readLong();
        }
        return counts;
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

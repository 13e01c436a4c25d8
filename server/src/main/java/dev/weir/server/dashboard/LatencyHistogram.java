package dev.weir.server.dashboard;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * How many durations were how long: in nanoseconds, within 6 %, up to a minute. Takes 20 kB. Thread-safe; recording
 * neither locks nor reads a clock.
 *
 * <p>Buckets are powers of two in sixteen parts. Those that contain one of the given bounds are split there, so that the
 * number of durations up to a bound is exact.
 */
public final class LatencyHistogram {
    private static final int SUB_BITS = 4;
    private static final int SUB_BUCKETS = 1 << SUB_BITS;
    private static final int MOST_BITS = 36;
    private static final int PARTS = (MOST_BITS - SUB_BITS + 1) * SUB_BUCKETS;

    /** The bounds that metrics report: memory answers in microseconds, a remote store in milliseconds. */
    private static final long[] BOUNDS_NANOS = IntStream.of(
                    10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000)
            .mapToLong(micros -> micros * 1000L)
            .toArray();

    /** The first bucket of each part. */
    private static final int[] FIRST = new int[PARTS];
    /** The bound at which a part is split; the greatest number if it is not. */
    private static final long[] SPLIT = new long[PARTS];
    /** The greatest value of each bucket. */
    private static final long[] GREATEST = new long[PARTS + BOUNDS_NANOS.length];

    static {
        Arrays.fill(SPLIT, Long.MAX_VALUE);
        Arrays.stream(BOUNDS_NANOS).forEach(bound -> SPLIT[part(bound)] = bound);
        int bucket = 0;
        for (int part = 0; part < PARTS; part++) {
            FIRST[part] = bucket;
            if (SPLIT[part] != Long.MAX_VALUE) {
                GREATEST[bucket++] = SPLIT[part];
            }
            GREATEST[bucket++] = greatest(part);
        }
    }

    private final LongAdder[] counts =
            IntStream.range(0, GREATEST.length).mapToObj(i -> new LongAdder()).toArray(LongAdder[]::new);
    private final LongAdder sum = new LongAdder();

    /** Adds a duration. */
    public void record(long nanos) {
        long value = Math.max(0, nanos);
        int part = part(value);
        counts[FIRST[part] + (value > SPLIT[part] ? 1 : 0)].increment();
        sum.add(value);
    }

    private static int part(long nanos) {
        if (nanos < SUB_BUCKETS) {
            return (int) nanos;
        }
        int bits = Long.SIZE - Long.numberOfLeadingZeros(nanos);
        if (bits > MOST_BITS) {
            return PARTS - 1;
        }
        int within = (int) (nanos >>> (bits - 1 - SUB_BITS)) - SUB_BUCKETS;
        return (bits - SUB_BITS) * SUB_BUCKETS + within;
    }

    private static long greatest(int part) {
        if (part < SUB_BUCKETS) {
            return part;
        }
        int bits = part / SUB_BUCKETS + SUB_BITS;
        long within = SUB_BUCKETS + (long) (part % SUB_BUCKETS);
        return ((within + 1) << (bits - 1 - SUB_BITS)) - 1;
    }

    static int buckets() {
        return GREATEST.length;
    }

    /** Returns the number of durations in each bucket since the start. */
    long[] counts() {
        return Arrays.stream(counts).mapToLong(LongAdder::sum).toArray();
    }

    /** Returns the sum of all durations, in nanoseconds. */
    public long sumNanos() {
        return sum.sum();
    }

    /** Returns the bounds of {@link #countsByBound}, in nanoseconds, ascending. */
    public static long[] boundsNanos() {
        return BOUNDS_NANOS.clone();
    }

    /** Returns the number of durations up to each bound and above the previous one; at the end, those above all bounds. */
    public long[] countsByBound() {
        long[] found = new long[BOUNDS_NANOS.length + 1];
        int bound = 0;
        for (int bucket = 0; bucket < GREATEST.length; bucket++) {
            while (bound < BOUNDS_NANOS.length && GREATEST[bucket] > BOUNDS_NANOS[bound]) {
                bound++;
            }
            found[bound] += counts[bucket].sum();
        }
        return found;
    }

    /**
     * Returns the duration that this share of the durations does not exceed, in nanoseconds; 0 if there is none.
     *
     * @param counts the number of durations in each bucket
     */
    static long quantile(long[] counts, double share) {
        long total = Arrays.stream(counts).sum();
        long rank = (long) Math.ceil(total * share);
        long below = 0;
        for (int bucket = 0; bucket < counts.length; bucket++) {
            below += counts[bucket];
            if (below >= rank && below > 0) {
                return GREATEST[bucket];
            }
        }
        return 0;
    }
}

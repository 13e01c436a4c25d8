package dev.weir.cli.simulation;

/**
 * How often a key used how much in one period. Counts below 1,024 are exact; above that a bucket spans 1/64 of its
 * value. Takes the same memory however much is added. Not thread-safe.
 */
final class WindowHistogram {
    private static final int EXACT = 1_024;
    private static final int SUB_BUCKETS = 64;
    private static final int EXACT_BITS = 10;
    private static final int SUB_BITS = 6;

    private final long[] windows = new long[EXACT + (Long.SIZE - EXACT_BITS) * SUB_BUCKETS];
    private final double[] sums = new double[windows.length];
    private double total;

    /** Adds a window in which a key used this much. */
    void add(long used) {
        if (used > 0) {
            int bucket = bucket(used);
            windows[bucket]++;
            sums[bucket] += used;
            total += used;
        }
    }

    private static int bucket(long used) {
        if (used < EXACT) {
            return (int) used;
        }
        int bits = Long.SIZE - Long.numberOfLeadingZeros(used);
        int within = (int) (used >>> (bits - 1 - SUB_BITS)) - SUB_BUCKETS;
        return EXACT + (bits - 1 - EXACT_BITS) * SUB_BUCKETS + within;
    }

    /** The greatest count that falls into a bucket. */
    private static long greatest(int bucket) {
        if (bucket < EXACT) {
            return bucket;
        }
        int exponent = (bucket - EXACT) / SUB_BUCKETS + EXACT_BITS;
        long within = SUB_BUCKETS + (long) ((bucket - EXACT) % SUB_BUCKETS);
        return ((within + 1) << (exponent - SUB_BITS)) - 1;
    }

    /**
     * The smallest count for each period that refuses at most this share: the sum of what each window uses beyond it is
     * at most the share of all use. 0 if nothing was used.
     */
    long countRefusing(double share) {
        double windowsAbove = 0;
        double usedAbove = 0;
        long found = 0;
        for (int bucket = windows.length - 1; bucket >= 0; bucket--) {
            long count = greatest(bucket);
            if (usedAbove - windowsAbove * count > total * share) {
                return found;
            }
            found = count;
            windowsAbove += windows[bucket];
            usedAbove += sums[bucket];
        }
        return found;
    }
}

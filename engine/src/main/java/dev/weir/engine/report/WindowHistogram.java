package dev.weir.engine.report;

import java.util.Arrays;

/**
 * How often a key used how much in one period. Small counts are exact; above that a bucket spans a fixed fraction of its
 * value. Takes the same memory however much is added. Not thread-safe.
 */
public final class WindowHistogram {
    private final int exactBits;
    private final int subBits;
    private final double[] windows;
    private final double[] sums;
    private double total;

    /** Gets the content of one bucket. */
    @FunctionalInterface
    public interface BucketReader {
        /**
         * Called for a bucket that is not empty.
         *
         * @param greatest the greatest count that falls into the bucket
         * @param windows the number of windows
         * @param used what was used in all these windows
         */
        void bucket(long greatest, double windows, double used);
    }

    /**
     * Creates an empty histogram.
     *
     * @param exactBits counts below two to this power are exact; at least {@code subBits}
     * @param subBits above that, a bucket spans its value divided by two to this power
     */
    public WindowHistogram(int exactBits, int subBits) {
        this.exactBits = exactBits;
        this.subBits = subBits;
        this.windows = new double[(1 << exactBits) + ((Long.SIZE - exactBits) << subBits)];
        this.sums = new double[windows.length];
    }

    /** Creates a histogram of equal content. */
    public WindowHistogram(WindowHistogram other) {
        this.exactBits = other.exactBits;
        this.subBits = other.subBits;
        this.windows = other.windows.clone();
        this.sums = other.sums.clone();
        this.total = other.total;
    }

    /** Adds a window in which a key used this much. */
    public void add(long used) {
        add(used, 1);
    }

    /** Adds so many windows in each of which a key used this much. */
    public void add(long used, double count) {
        if (used > 0) {
            int bucket = bucket(used);
            windows[bucket] += count;
            sums[bucket] += used * count;
            total += used * count;
        }
    }

    /** Adds the content of a histogram with the same buckets. */
    public void addAll(WindowHistogram other) {
        Arrays.setAll(windows, i -> windows[i] + other.windows[i]);
        Arrays.setAll(sums, i -> sums[i] + other.sums[i]);
        total += other.total;
    }

    /** Calls the reader for each bucket that is not empty, in ascending order. */
    public void forEach(BucketReader reader) {
        for (int bucket = 0; bucket < windows.length; bucket++) {
            if (windows[bucket] > 0) {
                reader.bucket(greatest(bucket), windows[bucket], sums[bucket]);
            }
        }
    }

    /** Returns the greatest count that falls into the same bucket. */
    public long greatestLike(long used) {
        return greatest(bucket(used));
    }

    private int bucket(long used) {
        int exact = 1 << exactBits;
        if (used < exact) {
            return (int) used;
        }
        int bits = Long.SIZE - Long.numberOfLeadingZeros(used);
        int within = (int) (used >>> (bits - 1 - subBits)) - (1 << subBits);
        return exact + ((bits - 1 - exactBits) << subBits) + within;
    }

    private long greatest(int bucket) {
        int exact = 1 << exactBits;
        if (bucket < exact) {
            return bucket;
        }
        int exponent = ((bucket - exact) >> subBits) + exactBits;
        long within = (1L << subBits) + ((bucket - exact) & ((1 << subBits) - 1));
        return ((within + 1) << (exponent - subBits)) - 1;
    }

    /**
     * The smallest count for each period that refuses at most this share: the sum of what each window uses beyond it is
     * at most the share of all use. 0 if nothing was used.
     */
    public long countRefusing(double share) {
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

package dev.weir.benchmarks;

import java.util.SplittableRandom;

/** The distribution of calls over keys. */
public enum Distribution {
    /** All keys equally often. */
    UNIFORM {
        @Override
        int draw(SplittableRandom random, int keys) {
            return random.nextInt(keys);
        }
    },

    /** The n-th most frequent key 1/n as often as the first. */
    ZIPF {
        @Override
        int draw(SplittableRandom random, int keys) {
            // A continuous draw is close; rejecting part of its surplus makes it exact.
            while (true) {
                int rank = (int) Math.exp(random.nextDouble() * Math.log(keys + 1.0));
                double excess = rank * Math.log1p(1.0 / rank) / Math.log(2);
                if (rank <= keys && random.nextDouble() * excess < 1) {
                    return rank - 1;
                }
            }
        }
    };

    /** Returns the index of the next key. */
    abstract int draw(SplittableRandom random, int keys);
}

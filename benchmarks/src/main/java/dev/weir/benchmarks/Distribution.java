package dev.weir.benchmarks;

import java.util.SplittableRandom;

/** How often each key is asked for. */
public enum Distribution {
    /** All alike. */
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
            // A continuous draw is close; rejecting some of what it gives too often makes it exact.
            while (true) {
                int rank = (int) Math.exp(random.nextDouble() * Math.log(keys + 1.0));
                double excess = rank * Math.log1p(1.0 / rank) / Math.log(2);
                if (rank <= keys && random.nextDouble() * excess < 1) {
                    return rank - 1;
                }
            }
        }
    };

    /** Which of so many keys is next. */
    abstract int draw(SplittableRandom random, int keys);
}

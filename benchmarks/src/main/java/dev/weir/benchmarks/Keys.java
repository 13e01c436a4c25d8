package dev.weir.benchmarks;

import java.util.SplittableRandom;

/** The callers' strings and their order: the same for all contestants. */
final class Keys {
    private static final int SEED = 42;

    private Keys() {}

    /** Keys such as {@code user-123456}, shuffled. */
    static String[] make(int count) {
        String[] keys = new String[count];
        for (int i = 0; i < count; i++) {
            keys[i] = "user-" + (100_000 + i);
        }
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = count - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            String key = keys[i];
            keys[i] = keys[other];
            keys[other] = key;
        }
        return keys;
    }

    /** The indexes of the keys, in the order of the calls. */
    static int[] sequence(Distribution distribution, int keys, int length) {
        SplittableRandom random = new SplittableRandom(SEED);
        int[] sequence = new int[length];
        for (int i = 0; i < length; i++) {
            sequence[i] = distribution.draw(random, keys);
        }
        return sequence;
    }
}

package dev.weir.benchmarks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;

/**
 * The limit with many keys: a table of pairs of longs, a key's hash and its state, side by side in one cache line.
 *
 * <p>It does what a correct one cannot leave out: it hashes the key's text for every request, to 64 bits and under a
 * secret (a hash stands for its key, so nobody may be able to choose two that meet); it finds or claims a slot without
 * a lock; it reads the clock and exchanges the state. It neither grows nor forgets, and has one policy.
 */
final class OpenTable implements KeyedLimiter {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final long EMPTY = 0;

    private final long origin = System.nanoTime() - 1;
    private final long secret;
    private final long factor;
    private final long price;
    private final long bucket;
    private final long[] words;
    private final int mask;
    private final int shift;

    /** A table for so many keys, at most half full. */
    OpenTable(int keys, Budget budget) {
        SecureRandom random = new SecureRandom();
        this.secret = random.nextLong();
        this.factor = random.nextLong() | 1;
        this.price = budget.nanosPerToken();
        this.bucket = budget.nanosPerBucket();
        int slots = Integer.highestOneBit(Math.max(2, 2 * keys - 1)) << 1;
        this.words = new long[2 * slots];
        this.mask = words.length - 1;
        this.shift = Long.SIZE - Integer.numberOfTrailingZeros(slots);
    }

    @Override
    public boolean tryConsume(String key, int cost) {
        // The clock first: reading it waits for all that was begun before, and should not wait for memory.
        long now = System.nanoTime() - origin;
        int at = find(hash(key));
        while (true) {
            long present = (long) WORDS.getAcquire(words, at + 1);
            long next = Gcra.next(present, now, cost * price, bucket);
            if (next == Gcra.REFUSED) {
                return false;
            }
            if (WORDS.compareAndSet(words, at + 1, present, next)) {
                return true;
            }
        }
    }

    /** Looks at every slot. */
    @Override
    public long size() {
        long size = 0;
        for (int at = 0; at < words.length; at += 2) {
            size += (long) WORDS.getAcquire(words, at) == EMPTY ? 0 : 1;
        }
        return size;
    }

    private int find(long hash) {
        int at = (int) (hash >>> shift) << 1;
        while (true) {
            long found = (long) WORDS.getAcquire(words, at);
            if (found == EMPTY) {
                found = (long) WORDS.compareAndExchange(words, at, EMPTY, hash);
            }
            if (found == hash || found == EMPTY) {
                return at;
            }
            at = (at + 2) & mask;
        }
    }

    private long hash(String key) {
        int length = key.length();
        long hash = secret ^ length;
        int at = 0;
        for (; at + 4 <= length; at += 4) {
            hash = mix(hash
                    ^ (key.charAt(at)
                            | (long) key.charAt(at + 1) << 16
                            | (long) key.charAt(at + 2) << 32
                            | (long) key.charAt(at + 3) << 48));
        }
        long rest = 0;
        for (; at < length; at++) {
            rest = rest << 16 | key.charAt(at);
        }
        hash = mix(mix(hash ^ rest));
        return hash == EMPTY ? 1 : hash;
    }

    private long mix(long hash) {
        return Math.multiplyHigh(hash, factor) ^ (hash * factor);
    }
}

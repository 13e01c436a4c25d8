package dev.weir.benchmarks;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;

/**
 * The physical limit with many keys: a table of pairs of longs, a key's hash and its state, side by side in one cache
 * line.
 *
 * <p>It does what no correct implementation can leave out. It hashes the key's text for every request, to 64 bits and
 * with a secret: a hash stands for its key, so callers must not be able to choose two keys that collide. It finds or
 * claims an entry without a lock, reads the clock and exchanges the state. It never grows or evicts, and has one
 * policy.
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

    /** Creates a table for so many keys, at most half full. */
    OpenTable(int keys, BudgetSize budget) {
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
        // The clock is read first: the reading waits for all earlier instructions, and should not wait for memory.
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

    /** Counts by a scan of all entries. */
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

package dev.weir.memory;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Which keys may have spent from a budget that they share with others: a set that may have more than was added, and never
 * less until it does not matter any more.
 *
 * <p>Implementation notes. Without it, every new key would have to take along what others have spent from the shared budget
 * of its hash: after a flood, new clients would begin with a drained budget, and fill the table with budgets that take a
 * whole period to refill.
 *
 * <p>A key is one bit of the present map, chosen by its hash. It is set before anything is spent, with the time at which
 * the spending will have refilled at the latest; from then on a fresh budget is what the key would have, so the bit is of
 * no use. Bits cannot be removed one by one: when all those of the last map are of no use, the present map becomes the last
 * and an empty one the present. Adding and changing maps is done by one thread at a time; to look takes no lock.
 */
final class SharedSpenders {
    private static final int BITS_PER_KEY = 32;
    private static final int MOST_BITS = 1 << 22;

    private final int bits;
    /** Guarded by this; read by all. */
    private volatile Maps maps;

    /** @param keys as many as the table has room for */
    SharedSpenders(int keys) {
        long wanted = Math.min(MOST_BITS, (long) keys * BITS_PER_KEY);
        this.bits = Math.max(64, Integer.highestOneBit((int) wanted));
        this.maps = new Maps(new Bits(bits), null);
    }

    private record Maps(Bits present, @Nullable Bits last) {}

    private static final class Bits {
        final AtomicLongArray words;
        /** When all of them are of no use. Guarded by the enclosing object. */
        long neededUntil;

        Bits(int bits) {
            this.words = new AtomicLongArray(bits / Long.SIZE);
        }

        boolean has(int bit) {
            return (words.get(bit / Long.SIZE) & 1L << bit) != 0;
        }
    }

    /**
     * Call it before the key spends from a shared budget.
     *
     * @param refilledAt when what it spends will be back at the latest
     */
    synchronized void add(long hash, long now, long refilledAt) {
        Maps known = maps;
        if (known.last == null || known.last.neededUntil <= now) {
            known = new Maps(new Bits(bits), known.present);
            maps = known;
        }
        int bit = bitOf(hash);
        Bits present = known.present;
        present.neededUntil = Math.max(present.neededUntil, refilledAt);
        present.words.set(bit / Long.SIZE, present.words.get(bit / Long.SIZE) | 1L << bit);
    }

    /** Whether the key may have spent from a shared budget what is not back yet. */
    boolean mayHave(long hash) {
        Maps known = maps;
        int bit = bitOf(hash);
        return known.present.has(bit) || (known.last != null && known.last.has(bit));
    }

    private int bitOf(long hash) {
        return (int) ((hash * 0x9E3779B97F4A7C15L) >>> 40) & (bits - 1);
    }
}

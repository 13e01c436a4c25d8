package dev.weir.memory;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The set of keys that may have spent from a shared budget. It may contain more keys than were added, and loses a key
 * only when that no longer matters.
 *
 * <p>Safe for use by any number of threads; only {@link #add} takes a lock.
 */
final class SharedSpenders {
    /*
     * Without this set, every new key would have to take over what others have spent from the shared budget of its
     * hash. After a flood, new clients would begin with an empty budget, and the table would hold budgets that take a
     * whole period to refill.
     *
     * A key is one bit of the present bitmap, chosen by its hash. The bit is set before anything is spent, together
     * with the latest time at which the spending will have refilled. From then on the key would have a full budget, so
     * the bit is not needed. Bits cannot be removed one by one. When no bit of the last bitmap is needed any more, the
     * present one becomes the last, and an empty one the present. One thread at a time adds keys and changes bitmaps;
     * lookups take no lock.
     */
    private static final int BITS_PER_KEY = 32;
    private static final int MOST_BITS = 1 << 22;

    private final int bits;
    /** Guarded by this; read by all. */
    private volatile Maps maps;

    /**
     *
     * @param keys the number of keys that the table has room for
     */
    SharedSpenders(int keys) {
        long wanted = Math.min(MOST_BITS, (long) keys * BITS_PER_KEY);
        this.bits = Math.max(64, Integer.highestOneBit((int) wanted));
        this.maps = new Maps(new Bits(bits), null);
    }

    private record Maps(Bits present, @Nullable Bits last) {}

    private static final class Bits {
        final AtomicLongArray words;
        /** The time from which no bit is needed. Guarded by the enclosing object. */
        long neededUntil;

        Bits(int bits) {
            this.words = new AtomicLongArray(bits / Long.SIZE);
        }

        boolean has(int bit) {
            return (words.get(bit / Long.SIZE) & 1L << bit) != 0;
        }
    }

    /**
     * Adds a key; called before it spends from a shared budget.
     *
     * @param refilledAt when its spending will have refilled at the latest
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

    /** Whether the key may have spent from a shared budget an amount that has not refilled yet. */
    boolean mayHave(long hash) {
        Maps known = maps;
        int bit = bitOf(hash);
        return known.present.has(bit) || (known.last != null && known.last.has(bit));
    }

    private int bitOf(long hash) {
        return (int) ((hash * 0x9E3779B97F4A7C15L) >>> 40) & (bits - 1);
    }
}

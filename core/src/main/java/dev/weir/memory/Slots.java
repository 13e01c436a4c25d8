package dev.weir.memory;

import dev.weir.algorithm.PackedMath;
import dev.weir.algorithm.TokenBucketMath;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One generation of a shard's table: open addressing over pairs of longs, so that a key and its state share a cache
 * line.
 *
 * <p>Implementation notes. The first word of a slot names the key (54 bits of its hash) and the policy under which the
 * state is to be read (10 bits); the second is the state. The key's 54 bits are written once in a generation and never
 * change, so a search that ends at an empty slot has proved that the key is absent, and no key is ever in two slots. A
 * whole budget's slot is not freed: the next generation leaves it out ({@link Shard} makes generations).
 *
 * <p>A state is positive, or one of:
 *
 * <ul>
 *   <li>0, in a slot of which nothing was spent in this generation;
 *   <li>{@link #FORGOTTEN}, in one of which all was forgotten. Not 0: a thread that is late with copying the key from
 *       the last generation would take that as its turn, and bring the old state back;
 *   <li>{@link #MOVED}: look in the next generation;
 *   <li>negative otherwise: frozen, on its way to the next generation, or (with the bit {@link #CONVERTING}) on its way
 *       to another policy.
 * </ul>
 */
final class Slots {
    static final int POLICY_BITS = 10;
    static final long MOVED = Long.MIN_VALUE;
    static final long CONVERTING = 1L << 62;
    /** As if the largest state were frozen; none gets so large within the clock's horizon. */
    static final long FORGOTTEN = MOVED | PackedMath.MAX_STATE;
    /** An answer of {@link #takeToken}: the token was taken. */
    static final int TAKEN = 1;
    /** An answer of {@link #takeToken}: no token is there. */
    static final int REFUSED = 2;
    /** An answer of {@link #takeToken}: the slot needs the slow path. */
    static final int ELSEWHERE = 3;
    /** What {@link #find} answers when the search met a slot that was closed because its generation is ending. */
    static final int GONE = Integer.MIN_VALUE;

    /** The first word of a slot without a key; no state is ever beside it. */
    static final long EMPTY = 0;

    /** A slot in which no key will ever be. */
    private static final long CLOSED = -1;

    private static final int RETIRED = 1 << 30;
    private static final int LOSSES_BEFORE_PAUSE = 3;

    private static final long POLICY_MASK = (1L << POLICY_BITS) - 1;
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    final int size;
    /** How many keys this generation takes, fewer than it has slots: every search ends at an empty one. */
    final int limit;
    /** The next slot to copy. */
    final AtomicInteger cursor = new AtomicInteger();
    /** How many slots were copied. */
    final AtomicInteger copied = new AtomicInteger();
    /** The generation after this one, while it is being filled. */
    volatile @Nullable Slots next;
    /** The generation before this one, while it is being emptied. */
    volatile @Nullable Slots previous;

    /** Key and state by turns. */
    final long[] words;

    /**
     * No key that is absent here, or of which nothing is spent, may be taken from at an earlier time: until then it may
     * have been spent from and forgotten. See {@link #raiseFloor}.
     */
    private final AtomicLong floor;

    /** Keys in this generation or about to be; {@link #RETIRED} more once no further key may come. */
    private final AtomicInteger claimed = new AtomicInteger();
    /** How many of the keys were copied or left out. */
    private final AtomicInteger settled = new AtomicInteger();

    /** A generation of {@code size} slots, a power of two, for at most {@code limit} keys, fewer than slots. */
    Slots(int size, int limit, @Nullable Slots previous) {
        this.size = size;
        this.limit = limit;
        this.previous = previous;
        this.words = new long[2 * size];
        this.floor = new AtomicLong(previous == null ? 0 : previous.floor());
    }

    long floor() {
        return floor.get();
    }

    /**
     * Call it before a key is forgotten that was whole at this time. A thread that read the clock earlier and was held
     * up since would otherwise begin a new budget in the past, and get twice what came back since then.
     */
    void raiseFloor(long now) {
        if (floor.get() < now) {
            floor.accumulateAndGet(now, Math::max);
        }
    }

    /** A slot's first word. Never {@link #EMPTY}, as policies count from 1, nor {@link #CLOSED}. */
    static long word(long hash, int policyId) {
        long key = hash & ~POLICY_MASK;
        return (key == 0 ? POLICY_MASK + 1 : key) | policyId;
    }

    /** Whether nothing is spent. */
    static boolean isUnspent(long state) {
        return state == 0 || state == FORGOTTEN;
    }

    static int policyId(long word) {
        return (int) (word & POLICY_MASK);
    }

    static boolean sameKey(long word, long other) {
        return ((word ^ other) & ~POLICY_MASK) == 0;
    }

    /** {@link #find(long[], long)} in this generation. */
    int find(long word) {
        return find(words, word);
    }

    /** Where the key is; or, as a negative number, the complement of the empty slot where it would be; or {@link #GONE}. */
    static int find(long[] words, long word) {
        int mask = words.length - 2;
        // The word's highest bits, as many as number the slots.
        int at = (int) (word >>> (Integer.numberOfLeadingZeros(words.length) + 34)) << 1;
        while (true) {
            long found = (long) WORDS.getAcquire(words, at);
            if (sameKey(found, word) && found != CLOSED) {
                return at;
            }
            if (found == EMPTY) {
                return ~at;
            }
            if (found == CLOSED) {
                return GONE;
            }
            at = (at + 2) & mask;
        }
    }

    /**
     * The compare-and-set loop: does it to the state at a slot, unless the slot needs the slow path.
     *
     * <p>The state is read before the word, and is still the same after it, which the exchange proves or a second look.
     * As the word changes only while the state is frozen, the state is then one of the expected policy.
     *
     * @param spentAt in ticks of the math's resolution, as is {@code now}
     * @return what became of it, as {@link Taken} reads it
     */
    static long update(
            long[] words, int at, long word, PackedMath math, Verb verb, long amount, long spentAt, long now) {
        for (int lost = 0; ; lost++) {
            long state = (long) WORDS.getAcquire(words, at + 1);
            if (state <= 0 || (long) WORDS.getAcquire(words, at) != word) {
                return Taken.ELSEWHERE;
            }
            long next = verb.apply(math, state, amount, spentAt, now);
            if (next < 0 || next == state) {
                if ((long) WORDS.getAcquire(words, at + 1) == state) {
                    return next == PackedMath.STALE ? Taken.STALE : Taken.left(state);
                }
            } else if (WORDS.compareAndSet(words, at + 1, state, next)) {
                return next;
            }
            standAside(lost);
        }
    }

    /**
     * {@link #update} for the commonest question of all, one token of a bucket whose units are nanoseconds.
     *
     * <p>A loop of its own with an answer of its own: both let the compiler leave out what the general one must ask,
     * which is a tenth of a decision.
     */
    static int takeToken(long[] words, int at, long word, long price, long full, long now) {
        for (int lost = 0; ; lost++) {
            long state = (long) WORDS.getAcquire(words, at + 1);
            if (state <= 0 || (long) WORDS.getAcquire(words, at) != word) {
                return ELSEWHERE;
            }
            long next = TokenBucketMath.take(state, price, full, now);
            if (next == PackedMath.REFUSED) {
                if ((long) WORDS.getAcquire(words, at + 1) == state) {
                    return REFUSED;
                }
            } else if (WORDS.compareAndSet(words, at + 1, state, next)) {
                return TAKEN;
            }
            standAside(lost);
        }
    }

    /**
     * Lets others have the cache line for a moment. Threads that fight for it spend their time on moving it between
     * processors; one that has lost several times in a row saves both by pausing.
     */
    private static void standAside(int lost) {
        if (lost < LOSSES_BEFORE_PAUSE) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(1);
        }
    }

    long wordAt(int at) {
        return (long) WORDS.getVolatile(words, at);
    }

    long stateAt(int at) {
        return (long) WORDS.getVolatile(words, at + 1);
    }

    boolean casState(int at, long expected, long state) {
        return WORDS.compareAndSet(words, at + 1, expected, state);
    }

    /** How many keys are here that have not moved on. */
    int keys() {
        return (claimed.get() & (RETIRED - 1)) - settled.get();
    }

    /** From now on no key comes in. Answers how many there are at the most; call it once. */
    int retire() {
        return claimed.getAndAdd(RETIRED);
    }

    /** Takes {@link #retire} back. */
    void unretire() {
        claimed.addAndGet(-RETIRED);
    }

    /** A key was copied or left out. */
    void settle() {
        settled.incrementAndGet();
    }

    /** Takes room for one key, leaving some in reserve, and some for all that are still to come from before. */
    boolean takeRoom(int reserve) {
        Slots before = previous;
        int expected = before == null ? 0 : before.keys();
        boolean hasRoom = claimed.incrementAndGet() <= limit - expected - reserve;
        if (!hasRoom) {
            claimed.decrementAndGet();
        }
        return hasRoom;
    }

    /** Takes an empty slot for a key that has room; false if another was faster. */
    boolean claim(int at, long word) {
        boolean taken = WORDS.compareAndSet(words, at, EMPTY, word);
        if (!taken) {
            claimed.decrementAndGet();
        }
        return taken;
    }

    /** Sees to it that no key will come into a slot that was seen empty; false if one is there. */
    boolean close(int at, long word) {
        if (word != EMPTY && word != CLOSED) {
            return false;
        }
        return WORDS.compareAndSet(words, at, EMPTY, CLOSED) || wordAt(at) == CLOSED;
    }

    /** Freezes a state that is to be read under another policy; from here until it is thawed it is the caller's alone. */
    boolean freeze(int at, long state) {
        return casState(at, state, state | MOVED | CONVERTING);
    }

    /** Publishes a frozen state under this word. */
    void thaw(int at, long word, long state) {
        WORDS.setVolatile(words, at, word);
        WORDS.setVolatile(words, at + 1, state);
    }

    /** Copies a slot's key and state, which are frozen, here; once, however often it is called. */
    void receive(long word, long state) {
        while (true) {
            int at = find(word);
            if (at >= 0) {
                casState(at, 0, state);
                return;
            }
            if (at == GONE) {
                return;
            }
            claimed.incrementAndGet();
            claim(~at, word);
        }
    }
}

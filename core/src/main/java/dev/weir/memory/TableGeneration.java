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
 * One generation of a shard's table: an open-addressing hash table of pairs of longs, so that a key and its state share
 * a cache line.
 *
 * <p>Safe for use by any number of threads; it has no locks. {@link Generations} creates generations and copies entries
 * from one to the next.
 */
final class TableGeneration {
    /*
     * An entry is two longs: the word and the state. The word names the key (54 bits of its hash) and the policy under
     * which the state is to be read (10 bits).
     *
     * Words. EMPTY becomes a key's word by claim(), or CLOSED by close() once there is a next generation; both are
     * compare-and-set, so one of them wins. The key bits never change afterwards, and an entry is never freed. So a
     * search that ends at an EMPTY entry proves that the key is absent, and no key has two entries of one generation.
     * An entry whose budget is full again is left out of the next generation. The policy bits change only while the
     * state is converting.
     *
     * States. A state is one of:
     * - positive: the packed state of the policy;
     * - 0: nothing was spent from this entry in this generation;
     * - EVICTED: all that was spent was evicted or reset. It is not 0, because a thread that copies the key late from
     *   the previous generation replaces a 0, and would bring the old state back;
     * - frozen, the state with the sign bit: about to be copied to the next generation;
     * - converting, the state with the sign bit and CONVERTING: about to be rewritten under another policy;
     * - MOVED: the state, if any, is in the next generation. Final.
     *
     * Transitions. Any thread may make one, by compare-and-set; only thaw() is for one thread:
     * - positive to positive: update() and takeToken();
     * - 0 or EVICTED to positive: the first spending; 0 also by receive(), with the state of the previous generation;
     * - positive to EVICTED: a reset, or an eviction;
     * - positive to frozen, then to MOVED once receive() has copied it. A thread that meets a frozen state finishes its
     *   copying;
     * - 0, EVICTED, or positive and full, to MOVED: the key is left out of the next generation;
     * - positive, 0 or EVICTED to converting: freeze(). From then on the entry belongs to the thread that froze it,
     *   until thaw() writes the word and then a state that is positive or EVICTED.
     *
     * Why an update is safe: a thread reads the state, then the word, and replaces the state only if it has not
     * changed. As the word changes only while the state is converting, the state is one of the policy in the word.
     */
    static final int POLICY_BITS = 10;
    static final long MOVED = Long.MIN_VALUE;
    static final long CONVERTING = 1L << 62;
    /** The largest state, frozen. No state gets so large within the clock's horizon. */
    static final long EVICTED = MOVED | PackedMath.MAX_STATE;
    /** A result of {@link #takeToken}: the token was taken. */
    static final int TAKEN = 1;
    /** A result of {@link #takeToken}: no token is available. */
    static final int REFUSED = 2;
    /** A result of {@link #takeToken}: the entry needs the slow path. */
    static final int ELSEWHERE = 3;
    /** A result of {@link #find}: the search met an entry that was closed because its generation is ending. */
    static final int GONE = Integer.MIN_VALUE;

    /** The word of an entry without a key; its state is always 0. */
    static final long EMPTY = 0;

    /** The word of an entry that will never have a key. */
    private static final long CLOSED = -1;

    private static final int RETIRED = 1 << 30;
    private static final int LOSSES_BEFORE_PAUSE = 3;

    private static final long POLICY_MASK = (1L << POLICY_BITS) - 1;
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    final int size;
    /** The maximum number of keys, below the number of entries: every search ends at an empty one. */
    final int limit;
    /** The next entry to copy. */
    final AtomicInteger cursor = new AtomicInteger();
    /** The number of entries that were copied. */
    final AtomicInteger copied = new AtomicInteger();
    /** The generation after this one, while it is being filled. */
    volatile @Nullable TableGeneration next;
    /** The generation before this one, while it is being emptied. */
    volatile @Nullable TableGeneration previous;

    /** The word and the state of each entry, alternating. */
    final long[] words;

    /**
     * The earliest time at which a key that is absent here, or from which nothing is spent, may be spent from. Before
     * that time it may have been spent from and evicted. See {@link #raiseFloor}.
     */
    private final AtomicLong floor;

    /**
     * The number of keys in this generation or about to be added; {@link #RETIRED} is added once no further key may be.
     */
    private final AtomicInteger claimed = new AtomicInteger();
    /** The number of keys that were copied or left out. */
    private final AtomicInteger settled = new AtomicInteger();

    /**
     * Creates a generation of {@code size} entries, a power of two, for at most {@code limit} keys, fewer than entries.
     */
    TableGeneration(int size, int limit, @Nullable TableGeneration previous) {
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
     * Raises the earliest time for new budgets; called before the eviction of a key whose budget was full at this time.
     * A thread that read the clock earlier and was delayed since would otherwise begin a new budget in the past. That
     * budget would refill twice for the time between.
     */
    void raiseFloor(long now) {
        if (floor.get() < now) {
            floor.accumulateAndGet(now, Math::max);
        }
    }

    /** The word of an entry. Never {@link #EMPTY}, as policies count from 1, nor {@link #CLOSED}. */
    static long word(long hash, int policyId) {
        long key = hash & ~POLICY_MASK;
        return (key == 0 ? POLICY_MASK + 1 : key) | policyId;
    }

    /** Whether nothing is spent from a budget with this state. */
    static boolean isUnspent(long state) {
        return state == 0 || state == EVICTED;
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

    /**
     * Returns the index of the key's entry; or, if absent, the complement of the index of the empty entry where it
     * would be; or {@link #GONE}.
     */
    static int find(long[] words, long word) {
        int mask = words.length - 2;
        // The highest bits of the word, as many as an index of an entry has.
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
     * Applies an operation to the state of an entry in a compare-and-set loop, unless the entry needs the slow path.
     *
     * <p>The state is read before the word. The exchange, or a second read, proves that it is unchanged. As the word
     * changes only while the state is frozen, the state is then one of the expected policy.
     *
     * @param spentAt in ticks of the math's resolution, as is {@code now}
     * @return the result, which {@link PackedResult} decodes
     */
    static long update(
            long[] words,
            int at,
            long word,
            PackedMath math,
            PackedOperation verb,
            long amount,
            long spentAt,
            long now) {
        for (int lost = 0; ; lost++) {
            long state = (long) WORDS.getAcquire(words, at + 1);
            if (state <= 0 || (long) WORDS.getAcquire(words, at) != word) {
                return PackedResult.ELSEWHERE;
            }
            long next = verb.apply(math, state, amount, spentAt, now);
            if (next < 0 || next == state) {
                if ((long) WORDS.getAcquire(words, at + 1) == state) {
                    return next == PackedMath.STALE ? PackedResult.STALE : PackedResult.left(state);
                }
            } else if (WORDS.compareAndSet(words, at + 1, state, next)) {
                return next;
            }
            backOff(lost);
        }
    }

    /**
     * {@link #update} for the most frequent operation: one token of a bucket whose units are nanoseconds.
     *
     * <p>A separate loop with a separate result type lets the compiler omit the checks of the general one, which are a
     * tenth of a decision.
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
            backOff(lost);
        }
    }

    /**
     * Backs off, so that other threads can use the cache line. Threads that compete for it spend their time on moving
     * it between cores; a thread that has lost several times in a row saves that by pausing.
     */
    private static void backOff(int lost) {
        if (lost < LOSSES_BEFORE_PAUSE) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(1);
        }
    }

    /** The state of an entry, for callers that cache its location. */
    static long stateAt(long[] words, int at) {
        return (long) WORDS.getAcquire(words, at + 1);
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

    /** The number of keys that have not been copied or left out. */
    int keys() {
        return (claimed.get() & (RETIRED - 1)) - settled.get();
    }

    /** Ends the addition of keys. Returns the number of keys at most; to be called once. */
    int retire() {
        return claimed.getAndAdd(RETIRED);
    }

    /** Undoes {@link #retire}. */
    void unretire() {
        claimed.addAndGet(-RETIRED);
    }

    /** Counts a key that was copied or left out. */
    void settle() {
        settled.incrementAndGet();
    }

    /**
     * Takes room for one key, except for a reserve and for the keys that are still to be copied from the previous
     * generation.
     */
    boolean takeRoom(int reserve) {
        TableGeneration before = previous;
        int expected = before == null ? 0 : before.keys();
        boolean hasRoom = claimed.incrementAndGet() <= limit - expected - reserve;
        if (!hasRoom) {
            claimed.decrementAndGet();
        }
        return hasRoom;
    }

    /** Claims an empty entry for a key that has room; false if another thread was faster. */
    boolean claim(int at, long word) {
        boolean taken = WORDS.compareAndSet(words, at, EMPTY, word);
        if (!taken) {
            claimed.decrementAndGet();
        }
        return taken;
    }

    /** Closes an entry that was seen empty, so that no key is added to it; false if it has a key. */
    boolean close(int at, long word) {
        if (word != EMPTY && word != CLOSED) {
            return false;
        }
        return WORDS.compareAndSet(words, at, EMPTY, CLOSED) || wordAt(at) == CLOSED;
    }

    /**
     * Freezes a state for conversion to another policy. Until {@link #thaw} the entry belongs to the calling thread
     * alone.
     */
    boolean freeze(int at, long state) {
        return casState(at, state, state | MOVED | CONVERTING);
    }

    /** Publishes a converted state with this word. */
    void thaw(int at, long word, long state) {
        WORDS.setVolatile(words, at, word);
        WORDS.setVolatile(words, at + 1, state);
    }

    /** Adds a key with its frozen state to this generation. Has an effect once, however often it is called. */
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

package dev.weir.memory;

/**
 * The result of an operation on a packed state, as one {@code long} so that nothing is allocated. Only this class
 * decodes its bits.
 *
 * <p>It is one of: the new state; the state with the bit {@link #LEFT}, if the operation left it unchanged; that bit
 * alone, if the time of the operation was before the state's; 0 if the entry needs the slow path.
 */
final class PackedResult {
    /** Set if the state is unchanged. No state has this bit. */
    private static final long LEFT = 1L << 62;

    /** The time of the operation was before the state's: repeat it with the present time. */
    static final long STALE = LEFT;
    /** The entry needs the slow path. */
    static final long ELSEWHERE = 0;

    private PackedResult() {}

    /** The result of an operation that left the state unchanged. */
    static long left(long state) {
        return state | LEFT;
    }

    /** Whether the operation changed the state. */
    static boolean isTaken(long result) {
        return (result & LEFT) == 0;
    }

    /** Whether the operation began or changed a state, which is the result then. */
    static boolean isState(long result) {
        return result != ELSEWHERE && isTaken(result);
    }

    static boolean isStale(long result) {
        return result == STALE;
    }

    /** The state, changed or not. */
    static long state(long result) {
        return result & ~LEFT;
    }
}

package dev.weir.memory;

/**
 * What became of a packed state: the result of a step, as one {@code long} so that nothing is created. Only this class knows
 * its bits.
 *
 * <p>It is the new state; or the state with a bit, if the step left it as it was; or that bit alone, if the step was asked at a
 * time before the state's; or 0 where the slot cannot tell.
 */
final class Taken {
    /** No state reaches this bit. */
    private static final long LEFT = 1L << 62;

    /** Asked at a time before the state's: ask again with the present time. */
    static final long STALE = LEFT;
    /** The slot cannot tell: the long way can. */
    static final long ELSEWHERE = 0;

    private Taken() {}

    /** The step left the state as it was. */
    static long left(long state) {
        return state | LEFT;
    }

    /** Whether the step changed the state. */
    static boolean isTaken(long result) {
        return (result & LEFT) == 0;
    }

    /** Whether the step began or changed a state, which is the result then. */
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

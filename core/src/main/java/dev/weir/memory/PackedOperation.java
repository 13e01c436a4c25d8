package dev.weir.memory;

import dev.weir.algorithm.FixedWindowMath;
import dev.weir.algorithm.PackedMath;
import dev.weir.algorithm.TokenBucketMath;

/** An operation on a packed state. */
enum PackedOperation {
    /** Spend if it fits. */
    TAKE,
    /** Spend whether it fits or not. */
    SPEND,
    GIVE_BACK,
    /** Change nothing. */
    LOOK,
    /** Change only what a read must {@linkplain PackedMath#notice change}. */
    NOTICE;

    /** The next state, or {@link PackedMath#REFUSED} or {@link PackedMath#STALE}. Times are ticks. */
    long apply(PackedMath math, long state, long amount, long spentAt, long now) {
        // Not a switch: that would look the case up in an array, which the compiler cannot optimize away.
        if (this == TAKE) {
            return take(math, state, amount, now);
        }
        if (this == LOOK) {
            return state;
        }
        if (this == NOTICE) {
            return math.notice(state, now);
        }
        return this == SPEND ? math.spend(state, amount, now) : math.giveBack(state, amount, spentAt, now);
    }

    /** Distinguishes the common types, so that each call is direct and can be inlined. */
    private static long take(PackedMath math, long state, long amount, long now) {
        if (math instanceof TokenBucketMath bucket) {
            return bucket.take(state, amount, now);
        }
        return math instanceof FixedWindowMath window ? window.take(state, amount, now) : math.take(state, amount, now);
    }
}

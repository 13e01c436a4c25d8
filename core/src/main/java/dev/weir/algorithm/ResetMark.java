package dev.weir.algorithm;

import dev.weir.Store;
import org.jspecify.annotations.Nullable;

/**
 * What a store remembers of a key's last reset, so that what was spent before it is not given back after it.
 *
 * <p>A reset is compared with a decision by time, and by a count where both have the same time. It is remembered for
 * {@link Store#LONGEST_TTL}.
 *
 * @param at when it was, in microseconds of the store's clock
 * @param count how many resets of the key there were at that very time, this one included
 */
public record ResetMark(long at, int count) {
    /** For how long a reset is remembered, in microseconds. */
    public static final long REMEMBERED = Store.LONGEST_TTL.toNanos() / 1_000;

    /** The mark that a reset makes of another one, which may be null. */
    public static ResetMark next(@Nullable ResetMark before, long now) {
        return new ResetMark(now, before != null && before.at == now ? before.count + 1 : 1);
    }

    public boolean isRemembered(long now) {
        return now - at < REMEMBERED;
    }

    /** What a decision remembers of it: how many resets came before the decision at the very same time. */
    public int seen(long now) {
        return at == now ? count : 0;
    }

    /**
     * Whether it came after something was spent.
     *
     * @param seen what {@link #seen} answered then; 0 if there was no mark
     */
    public boolean cameAfter(long spentAt, int seen) {
        return spentAt < at || (spentAt == at && seen < count);
    }
}

package dev.weir.algorithm;

import dev.weir.Store;
import org.jspecify.annotations.Nullable;

/**
 * The last reset of a key, which a store keeps so that earlier charges are not given back after it.
 *
 * <p>A reset is compared with a decision by time, and by a count where both have the same time. It is kept for {@link
 * Store#LONGEST_TTL}.
 *
 * @param at the time of the reset, in microseconds of the store's clock
 * @param count how many resets of the key there were at that very time, this one included
 */
public record ResetMark(long at, int count) {
    /** How long a reset is kept, in microseconds. */
    public static final long REMEMBERED = Store.LONGEST_TTL.toNanos() / 1_000;

    /** The mark after a reset now; {@code before} is the previous one, or null. */
    public static ResetMark next(@Nullable ResetMark before, long now) {
        return new ResetMark(now, before != null && before.at == now ? before.count + 1 : 1);
    }

    public boolean isRemembered(long now) {
        return now - at < REMEMBERED;
    }

    /** The value that a decision records: how many resets came before the decision at the very same time. */
    public int seen(long now) {
        return at == now ? count : 0;
    }

    /**
     * Whether the reset came after a charge was spent.
     *
     * @param seen what {@link #seen} returned then; 0 if there was no mark
     */
    public boolean cameAfter(long spentAt, int seen) {
        return spentAt < at || (spentAt == at && seen < count);
    }
}

package dev.weir;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A store of budgets: each call is one atomic step at a time of the store's own clock.
 *
 * <p>A store has no rules of its own. It is safe for use by any number of threads. It never admits more than a policy
 * allows, and a refusal spends nothing. A key keeps what was spent when its policy changes. A full budget carries no
 * information, so a store may evict it at any time without affecting results.
 *
 * <p>Arguments are checked first: misuse throws {@link IllegalArgumentException}, in most cases an {@link
 * ArgumentException}, and changes nothing. A failed backend completes the answer with a {@link StoreException}. One
 * whose {@linkplain StoreException#kind kind} is {@code FULL} or {@code DAMAGED} concerns that call only.
 */
public interface Store extends AutoCloseable {

    /** The longest life of a reservation or a lease between two renewals. */
    Duration LONGEST_TTL = Duration.ofDays(7);

    /**
     * How long the id of a closed reservation stays known, at most. The time is shorter if its ttl ends before, or if
     * very many reservations are closed meanwhile. After that the id is unknown.
     */
    Duration CLOSED_TTL = Duration.ofMinutes(1);

    /**
     * How long a call takes at most in normal operation, the store's own timeouts included. The engine and {@link
     * RateLimiter} abandon a call after that, unless they are configured with another deadline. 50 ms unless a store
     * overrides it.
     */
    default Duration deadline() {
        return Duration.ofMillis(50);
    }

    /** Spends all charges or none. Slots ({@link Concurrency}) are not consumed but {@linkplain #acquire acquired}. */
    Answer<Decision> consume(List<Charge> charges);

    /** The decision that {@link #consume} or {@link #acquire} would return now; spends nothing. */
    Answer<Decision> peek(List<Charge> charges);

    /**
     * Gives back what an admitted decision spent: at most once for each decision, never above the capacity, and only to
     * the window in which it was spent. Nothing is given back to a key that was {@linkplain #reset reset} since. Slots
     * are not given back here but {@linkplain #release released}.
     *
     * @return true if the decision spent anything and was not given back before; false also for the decision of a
     *     reservation that is closed or has expired
     */
    Answer<Boolean> refund(Decision decision);

    /**
     * Resets the budgets of these keys to full. What was spent before can no longer be given back; the store remembers
     * the reset for {@link #LONGEST_TTL}. Slots become free: leases that held them are no longer held.
     */
    Answer<Boolean> reset(List<Key> keys);

    /**
     * Spends all charges or none, like {@link #consume}, and keeps them under {@code id}, so that the estimate can be
     * settled or cancelled within {@code ttl}. After that the estimate stays spent.
     *
     * <p>Until then the id names this reservation, also for up to {@link #CLOSED_TTL} once it is closed. Repeating the
     * call for the same keys returns the same readings and spends nothing more, so a new reservation needs a new id.
     * The decision can be refunded until the reservation is settled or cancelled or expires; the refund closes it.
     *
     * @throws IllegalArgumentException if the id names a reservation of other keys
     */
    Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl);

    /**
     * Replaces a reservation's estimates by the actual costs, exactly once. The difference is given back, or spent even
     * if it does not fit. The resulting debt is at most one capacity, and refilling pays it off first.
     *
     * @param costs the actual costs, 0 or more, by the scope of the reserved key; scopes not named keep their estimate
     */
    Answer<Settlement> settle(String id, Map<String, Long> costs);

    /** Gives back everything that a reservation holds, exactly once. */
    Answer<Settlement> cancel(String id);

    /**
     * Sets the end of a reservation to {@code ttl} from now, whether that is later or earlier than its present end.
     * Returns false and changes nothing when it is closed, expired or unknown.
     */
    Answer<Boolean> prolong(String id, Duration ttl);

    /**
     * Takes slots for all charges or for none and holds them under {@code id} for {@code ttl}, unless renewed or
     * released before. Charges of other policies are consumed. Repeating the call with the id of a held lease takes
     * nothing more and renews it.
     */
    Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl);

    /** Holds a lease for {@code ttl} from now; returns false when it is no longer held. */
    Answer<Boolean> renew(String id, Duration ttl);

    /** Frees a lease's slots; returns false when it was not held, which is harmless. */
    Answer<Boolean> release(String id);

    /** Releases the resources that the store holds in this process. Later calls throw {@link IllegalStateException}. */
    @Override
    void close();
}

package dev.weir;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Where budgets live: each call is one indivisible step, by the store's own clock.
 *
 * <p>A store knows no rules. It is safe for use by any number of threads, never admits more than a policy allows, and
 * a refusal spends nothing. A key keeps what was spent when its policy changes; a whole budget carries no information,
 * so a store may forget it at any time without changing an answer. Arguments are checked before anything is done:
 * misuse throws {@link IllegalArgumentException}, in most cases an {@link ArgumentException}, and changes nothing. A failed
 * backend completes the answer with a {@link StoreException}; one whose {@linkplain StoreException#kind kind} is {@code FULL}
 * or {@code DAMAGED} concerns that call only.
 */
public interface Store extends AutoCloseable {

    /** The longest life of a reservation or a lease between two renewals. */
    Duration LONGEST_TTL = Duration.ofDays(7);

    /**
     * How long a reservation's id is remembered once it is closed, at most: shorter if its ttl ends before, or if very many
     * are closed meanwhile. After that the id is unknown.
     */
    Duration CLOSED_TTL = Duration.ofMinutes(1);

    /**
     * How long a call may take when all is well, the store's own bounds included. The engine and {@link RateLimiter} give a
     * call up after that, unless they are configured with another deadline. 50 ms unless a store overrides it.
     */
    default Duration deadline() {
        return Duration.ofMillis(50);
    }

    /** Spends all charges or none. Slots ({@link Concurrency}) are not consumed but {@linkplain #acquire acquired}. */
    Answer<Decision> consume(List<Charge> charges);

    /** What {@link #consume} or {@link #acquire} would answer now; spends nothing. */
    Answer<Decision> peek(List<Charge> charges);

    /**
     * Gives back what an admitted decision spent: at most once for each decision, never above the capacity, and only
     * to the window in which it was spent. Nothing is given back to a key that was {@linkplain #reset reset} since. Slots
     * are not given back here but {@linkplain #release released}.
     *
     * @return true if the decision spent anything and was not given back before; false also for the decision of a
     *     reservation that is closed or has expired
     */
    Answer<Boolean> refund(Decision decision);

    /**
     * Makes the budgets of these keys whole. What was spent before cannot be given back any more; this is remembered for
     * {@link #LONGEST_TTL}. Slots are free again: leases that held them are not held any more.
     */
    Answer<Boolean> reset(List<Key> keys);

    /**
     * Spends all charges or none, like {@link #consume}, and remembers them under {@code id} so that the estimate can
     * be settled or cancelled within {@code ttl}; after that the estimate stands. Until then the id names this
     * reservation, also for up to {@link #CLOSED_TTL} once it is closed: repeating the call for the same keys returns
     * the same readings and spends nothing more, so a new reservation needs a new id. Its decision can be refunded until
     * it is settled or cancelled or expires, and closes it.
     *
     * @throws IllegalArgumentException if the id names a reservation of other keys
     */
    Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl);

    /**
     * Replaces a reservation's estimates by what was actually used, exactly once: the difference is given back, or
     * spent even if it does not fit (a debt of at most one capacity, which refilling pays off first).
     *
     * @param costs the actual costs, 0 or more, by the scope of the reserved key; scopes not named keep their estimate
     */
    Answer<Settlement> settle(String id, Map<String, Long> costs);

    /** Gives back all that a reservation holds, exactly once. */
    Answer<Settlement> cancel(String id);

    /**
     * Keeps a reservation open for {@code ttl} from now, whether that is later or earlier than its present end; returns
     * false, and changes nothing, when it is closed, expired or unknown.
     */
    Answer<Boolean> prolong(String id, Duration ttl);

    /**
     * Takes slots for all charges or for none and holds them under {@code id} for {@code ttl}, unless renewed or
     * released before. Other policies among the charges are consumed. Repeating the call with the id of a lease that
     * is held takes nothing more and renews it.
     */
    Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl);

    /** Holds a lease for {@code ttl} from now; answers false when it is not held any more. */
    Answer<Boolean> renew(String id, Duration ttl);

    /** Frees a lease's slots; answers false when it was not held, which harms nothing. */
    Answer<Boolean> release(String id);

    /** Frees what the store holds in this process. Calls afterwards throw {@link IllegalStateException}. */
    @Override
    void close();
}

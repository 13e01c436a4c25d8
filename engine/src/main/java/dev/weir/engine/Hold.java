package dev.weir.engine;

import dev.weir.DurationText;
import dev.weir.Settlement;
import dev.weir.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The result of a request for a reservation or a lease; closing it ends the hold.
 *
 * <p>Closing a lease releases its slots. Closing a reservation that was neither settled nor cancelled cancels it: an
 * exception between {@code reserve} and {@code settle} costs nothing. Closing has no effect when it is repeated, when
 * the hold has ended otherwise, or when it was not granted. Safe for use by any number of threads.
 */
public final class Hold implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Hold.class.getName());

    private final Outcome outcome;
    private final @Nullable String id;
    private final Duration ttl;
    private final Kind kind;
    private final Holds holds;
    /** Set by the first call that ends the hold; closing it afterwards does nothing. */
    private final AtomicBoolean ended = new AtomicBoolean();

    /** The kind of a hold. */
    enum Kind {
        RESERVATION,
        LEASE
    }

    Hold(Outcome outcome, @Nullable String id, Duration ttl, Kind kind, Holds holds) {
        this.outcome = outcome;
        this.id = id;
        this.ttl = ttl;
        this.kind = kind;
        this.holds = holds;
    }

    /** Whether the hold was granted. */
    public boolean granted() {
        return id != null;
    }

    /** The outcome of the request, with the result of each limit. */
    public Outcome outcome() {
        return outcome;
    }

    /** The id for settling, renewing or releasing the hold, also from another process; null if it was not granted. */
    public @Nullable String id() {
        return id;
    }

    /** How long the hold lasts unless it is prolonged or ended before. */
    public Duration ttl() {
        return ttl;
    }

    /**
     * Extends the hold to this duration from now, like {@link Weir#prolong} or {@link Weir#renew}. Returns false if it
     * is no longer held.
     *
     * @throws StoreException if the store failed or did not answer in time
     */
    public boolean prolong(Duration newTtl) {
        if (id == null) {
            return false;
        }
        return (kind == Kind.LEASE ? holds.renew(id, newTtl) : holds.prolong(id, newTtl)).await();
    }

    /**
     * Replaces the estimates of a reservation by the actual costs, once, like {@link Weir#settle}. If this fails, the
     * estimate stands: closing the hold afterwards refunds nothing, since the work was done.
     *
     * @param costs actual costs by limit name; limits that are not named keep their estimate
     * @throws IllegalArgumentException if the reservation holds nothing for one of the limits
     * @throws IllegalStateException if this is a lease, which has no estimate
     * @throws StoreException if the store failed or did not answer in time
     */
    public Settlement settle(Map<String, Long> costs) {
        if (kind == Kind.LEASE) {
            throw new IllegalStateException("this hold is a lease, which has no estimate to settle; close it");
        }
        if (id == null) {
            return Settlement.UNKNOWN;
        }
        ended.set(true);
        return Holds.settled(holds.settle(id, costs));
    }

    /**
     * Releases a lease, or cancels a reservation that was neither settled nor cancelled. Blocks until the store has
     * answered. A failure of the store is logged and not thrown, since the caller's work is done: a lease then expires,
     * and a reservation's estimate stands.
     */
    @Override
    public void close() {
        if (id == null || !ended.compareAndSet(false, true)) {
            return;
        }
        try {
            if (kind == Kind.LEASE) {
                boolean unused = holds.release(id).await();
            } else {
                Settlement unused = holds.cancel(id).await();
            }
        } catch (StoreException e) {
            LOG.log(
                    Level.WARNING,
                    kind == Kind.LEASE
                            ? "a lease could not be released; it ends by itself"
                            : "a reservation could not be cancelled; its estimate stands",
                    e);
        }
    }

    @Override
    public String toString() {
        return "Hold[" + kind + ", id=" + id + ", ttl=" + DurationText.of(ttl) + ", outcome=" + outcome + "]";
    }
}

package dev.weir.ledger;

import dev.weir.Store;
import java.util.List;

/**
 * A reservation or a lease. Immutable.
 *
 * @param spent the charges that it holds
 * @param endsAt when it expires, in microseconds of the store's clock
 * @param closed whether it was settled, cancelled or refunded, and is kept only so that its id stays known
 */
public record Hold<C extends BoundCharge>(LedgerOutcome<C> spent, long endsAt, boolean closed) {
    private static final long CLOSED_MICROS = Store.CLOSED_TTL.toNanos() / 1_000;

    public List<C> charges() {
        return spent.charges();
    }

    boolean isHeld(StoreTime now) {
        return now.micros() < endsAt;
    }

    Hold<C> until(long newEnd) {
        return new Hold<>(spent, newEnd, closed);
    }

    Hold<C> close(StoreTime now) {
        return new Hold<>(spent, Math.min(endsAt, now.micros() + CLOSED_MICROS), true);
    }
}

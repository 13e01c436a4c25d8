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
public record StoredHold<C extends BoundCharge>(LedgerOutcome<C> spent, long endsAt, boolean closed) {
    private static final long CLOSED_MICROS = Store.CLOSED_TTL.toNanos() / 1_000;

    public List<C> charges() {
        return spent.charges();
    }

    boolean isHeld(StoreTime now) {
        return now.micros() < endsAt;
    }

    StoredHold<C> until(long newEnd) {
        return new StoredHold<>(spent, newEnd, closed);
    }

    StoredHold<C> close(StoreTime now) {
        return new StoredHold<>(spent, Math.min(endsAt, now.micros() + CLOSED_MICROS), true);
    }
}

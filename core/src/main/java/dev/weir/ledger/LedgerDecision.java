package dev.weir.ledger;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Reading;
import dev.weir.StoreArguments;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A decision of a store that keeps ledgers, with the data for a refund. */
public final class LedgerDecision implements Decision {
    private final Object store;
    private final List<Charge> charges;
    private final List<Reading> readings;
    private final LedgerOutcome.Kind kind;
    private final StoreTime storeTime;
    private final long[] resetsSeen;
    private final @Nullable String reservation;
    private final AtomicBoolean refunded = new AtomicBoolean();

    /**
     * Creates a decision.
     *
     * @param store identifies the store; compared by identity
     * @param resetsSeen what the store needs to distinguish later resets from earlier ones
     * @param reservation the id of the reservation, if there is one
     */
    public LedgerDecision(
            Object store,
            List<Charge> charges,
            List<Reading> readings,
            LedgerOutcome.Kind kind,
            StoreTime storeTime,
            long[] resetsSeen,
            @Nullable String reservation) {
        this.store = store;
        this.charges = charges;
        this.readings = readings;
        this.kind = kind;
        this.storeTime = storeTime;
        this.resetsSeen = resetsSeen;
        this.reservation = reservation;
    }

    public static LedgerDecision of(
            Object store, List<Charge> charges, LedgerOutcome<?> outcome, @Nullable String reservation) {
        return new LedgerDecision(
                store, charges, outcome.readings(), outcome.kind(), outcome.at(), outcome.resetsSeen(), reservation);
    }

    /**
     * Returns the decision as one of this store.
     *
     * @throws dev.weir.ArgumentException if another store made it
     */
    public static LedgerDecision of(Object store, Decision decision) {
        if (decision instanceof LedgerDecision own && own.store == store) {
            return own;
        }
        throw StoreArguments.foreignDecision();
    }

    public StoreTime storeTime() {
        return storeTime;
    }

    /** The id of the reservation, or null. */
    public @Nullable String reservation() {
        return reservation;
    }

    /** The outcome that was spent, with the store's charges. */
    public <C extends BoundCharge> LedgerOutcome<C> spent(List<C> bound) {
        return new LedgerOutcome<>(bound, readings, kind, storeTime, resetsSeen);
    }

    /**
     * Marks the decision as refunded. True for the first call, if there is anything to give back: a lease that was held
     * before spends nothing.
     */
    public boolean refundOnce() {
        boolean spent =
                kind == LedgerOutcome.Kind.SPENT || (kind == LedgerOutcome.Kind.REPEATED && reservation != null);
        return spent && refunded.compareAndSet(false, true);
    }

    @Override
    public boolean admitted() {
        return kind != LedgerOutcome.Kind.REFUSED;
    }

    @Override
    public List<Charge> charges() {
        return charges;
    }

    @Override
    public Reading reading(int index) {
        return readings.get(index);
    }

    @Override
    public long time() {
        return storeTime.micros();
    }
}

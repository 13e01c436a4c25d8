package dev.weir.ledger;

import dev.weir.Reading;
import java.util.List;

/**
 * The outcome of charges that were decided together.
 *
 * @param at when they were decided
 * @param resetsSeen by charge, see {@link LedgerState#resetsSeen}; empty if nothing was spent
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and never changed.
public record LedgerOutcome<C extends BoundCharge>(
        List<C> charges, List<Reading> readings, Kind kind, StoreTime at, long[] resetsSeen) {
    static final long[] NONE_SEEN = {};

    /** The kind of an outcome. */
    public enum Kind {
        /** One of the charges does not fit; nothing was spent. */
        REFUSED,
        /** All charges fit; nothing was spent, because this was a peek. */
        FITS,
        /** All charges were spent. */
        SPENT,
        /** All charges were spent by an earlier call, whose hold still exists. */
        REPEATED
    }

    public boolean admitted() {
        return kind != Kind.REFUSED;
    }

    LedgerOutcome<C> repeated() {
        return new LedgerOutcome<>(charges, readings, Kind.REPEATED, at, resetsSeen);
    }
}

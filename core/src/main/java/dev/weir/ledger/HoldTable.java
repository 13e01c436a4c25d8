package dev.weir.ledger;

import org.jspecify.annotations.Nullable;

/** The reservations, or the leases, of a store by their ids. */
public interface HoldTable<C extends BoundCharge> {

    /** The hold of this id, which may have expired. */
    @Nullable
    Hold<C> get(String id);

    void put(String id, Hold<C> hold);

    void remove(String id);

    /** Throws if a hold under a new id would be one too many. */
    default void makeRoom(String id, Moment now) {}
}

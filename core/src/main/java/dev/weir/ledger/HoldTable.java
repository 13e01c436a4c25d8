package dev.weir.ledger;

import org.jspecify.annotations.Nullable;

/** The reservations, or the leases, of a store by their ids. */
public interface HoldTable<C extends BoundCharge> {

    /** Returns the hold with this id, which may have expired. */
    @Nullable
    StoredHold<C> get(String id);

    void put(String id, StoredHold<C> hold);

    void remove(String id);

    /** Throws if there is no room for a hold with a new id. */
    default void makeRoom(String id, StoreTime now) {}
}

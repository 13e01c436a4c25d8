package dev.weir.ledger;

import dev.weir.algorithm.PolicyModel;

/**
 * The time of an operation, on both clocks of a store.
 *
 * @param micros microseconds of the store's own clock, which never goes back
 * @param wallMillis milliseconds since 1970 of the wall clock, which calendar windows follow
 */
public record StoreTime(long micros, long wallMillis) {

    /** Converts the time to the ticks of a policy. */
    public long ticks(PolicyModel model) {
        return model.followsCalendar() ? wallMillis : micros;
    }
}

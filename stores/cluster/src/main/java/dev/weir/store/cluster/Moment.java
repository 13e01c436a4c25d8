package dev.weir.store.cluster;

import dev.weir.algorithm.Meter;

/**
 * When something happened, as the leader that put it into the log saw it.
 *
 * @param micros the cluster's own time in microseconds since 1970: it runs evenly and never goes back, whoever leads
 * @param wallMillis the leader's wall clock, which calendar windows follow
 */
record Moment(long micros, long wallMillis) {

    long ticks(Meter meter) {
        return meter.followsCalendar() ? wallMillis : micros;
    }
}

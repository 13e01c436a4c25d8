package dev.weir.engine.config;

import dev.weir.DurationText;
import dev.weir.Store;
import java.time.Duration;

/**
 * The bounds on reservations and leases of one client.
 *
 * @param longestReservation the longest ttl of a reservation, and of each prolongation
 * @param longestLease the longest ttl of a lease, and of each renewal
 * @param openReservations the most open reservations of a subject: the capacity of a token bucket that refills once in
 *     {@code longestReservation}; a reservation that is settled or cancelled returns its token
 */
public record HoldRule(Duration longestReservation, Duration longestLease, long openReservations) {
    /** The largest {@code openReservations}. */
    public static final long MOST_OPEN = 1_000_000;

    private static final HoldRule DEFAULTS = new HoldRule(Duration.ofHours(1), Duration.ofHours(1), 1_000);

    public HoldRule {
        check("longest-reservation", longestReservation);
        check("longest-lease", longestLease);
        if (openReservations < 1 || openReservations > MOST_OPEN) {
            throw new IllegalArgumentException(
                    "open-reservations is " + openReservations + "; it must be 1 to " + MOST_OPEN);
        }
    }

    /** One hour each, and a thousand reservations. */
    public static HoldRule defaults() {
        return DEFAULTS;
    }

    private static void check(String name, Duration ttl) {
        if (ttl.compareTo(Duration.ofSeconds(1)) < 0 || ttl.compareTo(Store.LONGEST_TTL) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + DurationText.of(ttl) + "; it must be a second to 7 days");
        }
    }
}

package dev.weir.cli.log;

import java.time.Instant;

/**
 * A request of an access log.
 *
 * @param atMicros the time of the request, in microseconds since 1970
 * @param attributes the attributes in the line, by the names that a configuration uses
 */
public record LoggedRequest(long atMicros, AttributeMap attributes) {
    /** The time of the request. */
    public Instant at() {
        return instant(atMicros);
    }

    /** A number of microseconds since 1970 as a time. */
    public static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000) * 1_000L);
    }
}

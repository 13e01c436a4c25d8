package dev.weir.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The answer to who asks for a reservation or a lease.
 *
 * @param outcome whether it was given, and what the limits say
 * @param id by which it is settled, renewed or given back; null when it was not given
 * @param ttl how long it is held unless it is settled, renewed or given back before
 */
public record Hold(Outcome outcome, @Nullable String id, Duration ttl) {

    /** Whether it was given. */
    public boolean granted() {
        return id != null;
    }
}

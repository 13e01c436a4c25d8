package dev.weir.spi.settings;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long an override or an exemption holds, and why it was made.
 *
 * @param expiresAt when it ends by itself, in whole milliseconds; null if only a change ends it
 * @param reason a text of the administrator, of at most 1,024 characters; null without one
 */
public record Validity(
        @Nullable Instant expiresAt, @Nullable String reason) {
    /** Until a change ends it, without a reason. */
    public static final Validity UNLIMITED = new Validity(null, null);

    public Validity {
        expiresAt = expiresAt == null ? null : expiresAt.truncatedTo(ChronoUnit.MILLIS);
        if (reason != null) {
            Bounds.value("reason", reason);
        }
    }

    /** Whether it has ended at this time. */
    public boolean isOver(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}

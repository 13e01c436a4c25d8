package dev.weir.engine;

import java.time.Duration;

/**
 * The penalty state of a subject.
 *
 * @param consecutiveViolations consecutive violations; reset to 0 after the quiet period
 * @param clearsAfter how long until they are reset if there is no further violation
 */
public record PenaltyState(long consecutiveViolations, Duration clearsAfter) {
    static final PenaltyState NONE = new PenaltyState(0, Duration.ZERO);

    /** Whether a scheduler should skip the subject for now; ends by itself. */
    public boolean throttled() {
        return consecutiveViolations > 0;
    }
}

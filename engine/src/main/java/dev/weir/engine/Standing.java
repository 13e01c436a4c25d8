package dev.weir.engine;

import java.time.Duration;

/**
 * How a subject stands with its penalty.
 *
 * @param consecutiveViolations violations in a row, forgotten after the quiet period
 * @param clearsAfter how long until they are forgotten if nothing more happens
 */
public record Standing(long consecutiveViolations, Duration clearsAfter) {
    static final Standing GOOD = new Standing(0, Duration.ZERO);

    /** Whether a scheduler should leave the subject alone for now; clears by itself. */
    public boolean throttled() {
        return consecutiveViolations > 0;
    }
}

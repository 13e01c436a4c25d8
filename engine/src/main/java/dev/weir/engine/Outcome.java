package dev.weir.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request.
 *
 * @param allowed whether it may go on; when not, nothing was spent
 * @param reason why
 * @param decisive the limit that tells the client most: the outermost that refused, else the tightest; null when none
 *     applied or the store did not answer
 * @param limits what every limit that applied says, outermost first, shadow limits last
 * @param warnings the limits that this request brought near their end
 * @param retryAfter how long to wait before asking again; null when allowed, and when waiting does not help
 * @param violations how many violations in a row the subject has committed, this one included; 0 without a penalty
 * @param derived the attributes that the configuration derived, such as {@code tier}
 */
public record Outcome(
        boolean allowed,
        Reason reason,
        @Nullable LimitResult decisive,
        List<LimitResult> limits,
        List<Warning> warnings,
        @Nullable Duration retryAfter,
        long violations,
        Map<String, String> derived) {

    private static final Outcome UNTOUCHED =
            new Outcome(true, Reason.ALLOWED, null, List.of(), List.of(), null, 0, Map.of());

    /** The answer when no limit applies: switched off, exempt, or simply not limited. */
    static Outcome untouched() {
        return UNTOUCHED;
    }
}

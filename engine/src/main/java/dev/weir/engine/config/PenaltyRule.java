package dev.weir.engine.config;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Progressive backoff: the wait of a subject grows with its consecutive refusals.
 *
 * @param per the attributes that identify the subject, at least one; a bare subject in the admin API is a value of the
 *     first
 * @param backoff the least wait after the first, second, … consecutive violation; the last one repeats; at least one
 * @param resetAfter how long without a violation until the count is reset
 * @param enforce whether the wait is enforced, or only reported
 */
public record PenaltyRule(List<String> per, List<Duration> backoff, Duration resetAfter, boolean enforce) {
    public PenaltyRule {
        per = List.copyOf(per);
        backoff = List.copyOf(backoff);
    }

    /** The only attribute that identifies the subject; null if there are several. */
    public @Nullable String soleAttribute() {
        return per.size() == 1 ? per.get(0) : null;
    }
}

package dev.weir.engine.config;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Progressive backoff: whoever is refused again and again waits longer and longer.
 *
 * @param per the attributes that say who, at least one; a bare subject in the admin API is the first one's value
 * @param backoff the least wait after the first, second, … violation in a row; the last one repeats; at least one
 * @param resetAfter how long without a violation until the count starts again
 * @param enforce whether the wait is imposed, or only told
 */
public record PenaltyRule(List<String> per, List<Duration> backoff, Duration resetAfter, boolean enforce) {
    public PenaltyRule {
        per = List.copyOf(per);
        backoff = List.copyOf(backoff);
    }

    /** The attribute that alone says who; null if there are several. */
    public @Nullable String soleAttribute() {
        return per.size() == 1 ? per.get(0) : null;
    }
}

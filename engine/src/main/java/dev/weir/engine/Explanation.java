package dev.weir.engine;

import dev.weir.spi.settings.Subject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why a request would be decided as it would be. Contains values of the request, which may identify a person.
 *
 * @param attributes the attributes that limits use, in normal form, with defaults and derived ones; and the well-known ones
 * @param matched the limits that apply, outermost first, shadow limits last
 * @param skipped the limits that do not apply, in the order of the configuration
 * @param exempt the subject for which the request is exempt, as {@code attribute=value}; null if it is not
 * @param decision what a check would return now
 */
public record Explanation(
        Map<String, String> attributes,
        List<Matched> matched,
        List<Skipped> skipped,
        @Nullable String exempt,
        Outcome decision) {

    /**
     * A limit that applies.
     *
     * @param result what a check would find
     * @param override the subject whose own rate applies; null without one
     * @param rate that rate; null without one
     */
    public record Matched(
            LimitResult result,
            @Nullable Subject override,
            @Nullable String rate) {}

    /**
     * A limit that does not apply.
     *
     * @param why a sentence for people
     */
    public record Skipped(String limit, String why) {}
}

package dev.weir.engine;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit that matched requests and was skipped each time, because they lacked an attribute. It contains names of
 * attributes, never their values.
 *
 * @param limit the limit's name
 * @param missing the parts of {@code per}, and the attribute of {@code cost}, that the first such request lacked
 * @param carried the attributes that such requests carried, in alphabetical order; at most 20, shortened
 * @param similar the carried attribute whose name resembles that of a missing one, so that one of them is probably
 *     misspelt; null if there is none
 * @param skipped the number of requests
 * @param since the time of the first of them
 */
public record SkippedLimit(
        String limit,
        List<String> missing,
        List<String> carried,
        @Nullable String similar,
        long skipped,
        Instant since) {

    public SkippedLimit {
        missing = List.copyOf(missing);
        carried = List.copyOf(carried);
    }
}

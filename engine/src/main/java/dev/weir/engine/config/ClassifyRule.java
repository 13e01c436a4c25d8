package dev.weir.engine.config;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A rule that derives one attribute from another: the first class with a matching pattern wins.
 *
 * @param set the attribute that is derived
 * @param from the attribute that is compared
 * @param values the patterns of every class, in order; see {@link Condition} for patterns
 * @param otherwise the class of all other values, and of requests without {@code from}; null leaves {@code set}
 *     unchanged
 */
public record ClassifyRule(
        String set,
        String from,
        Map<String, List<String>> values,
        @Nullable String otherwise) {
    public ClassifyRule {
        values = OrderedCopies.ordered(values, List::copyOf);
    }
}

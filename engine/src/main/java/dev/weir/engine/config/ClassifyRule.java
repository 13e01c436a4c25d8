package dev.weir.engine.config;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A rule that derives one attribute from another: the first class whose patterns hold the value wins.
 *
 * @param set the attribute to set
 * @param from the attribute to look at
 * @param values for every class, in order, the patterns that belong to it; see {@link Condition} for patterns
 * @param otherwise the class of everything else, a request without {@code from} included, or null to leave {@code set}
 *     alone
 */
public record ClassifyRule(
        String set,
        String from,
        Map<String, List<String>> values,
        @Nullable String otherwise) {
    public ClassifyRule {
        values = Copies.ordered(values, List::copyOf);
    }
}

package dev.weir.engine.config;

import java.util.List;

/**
 * A condition on one attribute of a request: it matches one of some patterns, or is absent.
 *
 * <p>A pattern is compared to the full value, case-sensitively. In it {@code *} stands for any run of characters but
 * {@code /}, {@code **} for any run of characters, {@code ?} for one character but {@code /}; there is no escape. A
 * pattern that ends in {@code /**} also matches the text before it: {@code /api/**} matches {@code /api}.
 *
 * @param patterns the value must match one of these
 * @param orAbsent whether a request without the attribute matches, too; with no patterns, only such a request does
 */
public record Condition(List<String> patterns, boolean orAbsent) {
    /** The attribute must be absent. */
    public static final Condition ABSENT = new Condition(List.of(), true);

    public Condition {
        patterns = List.copyOf(patterns);
    }

    /** The attribute must be present and match one of these patterns. */
    public static Condition anyOf(String... patterns) {
        return new Condition(List.of(patterns), false);
    }
}

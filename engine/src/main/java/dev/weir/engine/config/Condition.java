package dev.weir.engine.config;

import java.util.List;

/**
 * What one attribute of a request must be: any of some patterns, or absent.
 *
 * <p>A pattern is the whole text of the value, upper and lower case told apart. In it {@code *} stands for any run of
 * characters but {@code /}, {@code **} for any run of characters, {@code ?} for one character but {@code /}; there is no
 * escape. A pattern that ends in {@code /**} also holds what is before it: {@code /api/**} holds {@code /api}.
 *
 * @param patterns the value must match one of these
 * @param orAbsent whether a request without the attribute holds, too; with no patterns, only such a request does
 */
public record Condition(List<String> patterns, boolean orAbsent) {
    /** The attribute must not be there. */
    public static final Condition ABSENT = new Condition(List.of(), true);

    public Condition {
        patterns = List.copyOf(patterns);
    }

    /** The attribute must be there and match one of these. */
    public static Condition anyOf(String... patterns) {
        return new Condition(List.of(patterns), false);
    }
}

package dev.weir.engine.config;

import java.util.regex.Pattern;

/** Whole numbers as configurations write them: {@code 500}, {@code 10_000}. */
final class Numbers {
    static final String REGEX = "[0-9][0-9_]*";

    private static final Pattern NUMBER = Pattern.compile(REGEX);
    private static final int MOST_DIGITS = 18;

    private Numbers() {}

    /**
     * The number that a text says; one beyond 18 digits is the largest long.
     *
     * @throws IllegalArgumentException when it is none; its message says that it must be a whole number and, of those,
     *     {@code range}
     */
    static long parse(String text, String range) {
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException("it must be a whole number, " + range);
        }
        String digits = text.replace("_", "").replaceFirst("^0+(?=.)", "");
        return digits.length() > MOST_DIGITS ? Long.MAX_VALUE : Long.parseLong(digits);
    }
}

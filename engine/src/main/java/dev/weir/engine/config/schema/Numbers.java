package dev.weir.engine.config.schema;

import java.util.regex.Pattern;

/** Whole numbers in configurations: {@code 500}, {@code 10_000}. */
public final class Numbers {
    public static final String REGEX = "[0-9][0-9_]*";

    private static final Pattern NUMBER = Pattern.compile(REGEX);
    private static final int MOST_DIGITS = 18;

    private Numbers() {}

    /**
     * Parses a number; one with more than 18 digits is {@link Long#MAX_VALUE}.
     *
     * @throws IllegalArgumentException if the text is not a number; the message requires a whole number in {@code
     *     range}
     */
    public static long parse(String text, String range) {
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException("it must be a whole number, " + range);
        }
        String digits = text.replace("_", "").replaceFirst("^0+(?=.)", "");
        return digits.length() > MOST_DIGITS ? Long.MAX_VALUE : Long.parseLong(digits);
    }
}

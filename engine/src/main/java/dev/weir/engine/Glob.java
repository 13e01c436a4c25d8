package dev.weir.engine;

/**
 * A pattern for attribute values: literal text, {@code *} for anything but a slash, {@code **} for anything,
 * {@code ?} for one character that is no slash. {@code /a/**} matches {@code /a} as well.
 *
 * <p>Matching takes at most pattern × text steps, whatever either is; nothing is compiled to a regular expression.
 */
final class Glob {
    private final String pattern;
    private final boolean isLiteral;

    Glob(String pattern) {
        this.pattern = pattern;
        this.isLiteral = pattern.indexOf('*') < 0 && pattern.indexOf('?') < 0;
    }

    boolean matches(String text) {
        if (isLiteral) {
            return pattern.equals(text);
        }
        if (pattern.endsWith("/**") && matches(pattern, pattern.length() - 3, text)) {
            return true;
        }
        return matches(pattern, pattern.length(), text);
    }

    /**
     * Row by row, which prefixes of the text the pattern's prefixes match: {@code reached[i]} says whether the pattern
     * so far matches the first {@code i} characters.
     */
    private static boolean matches(String pattern, int patternLength, String text) {
        boolean[] reached = new boolean[text.length() + 1];
        reached[0] = true;
        int at = 0;
        while (at < patternLength) {
            char c = pattern.charAt(at);
            boolean crossesSlashes = c == '*' && at + 1 < patternLength && pattern.charAt(at + 1) == '*';
            if (c == '*') {
                spread(reached, text, crossesSlashes);
            } else {
                step(reached, text, c);
            }
            at += crossesSlashes ? 2 : 1;
        }
        return reached[text.length()];
    }

    private static void spread(boolean[] reached, String text, boolean crossesSlashes) {
        for (int i = 0; i < text.length(); i++) {
            if (reached[i] && (crossesSlashes || text.charAt(i) != '/')) {
                reached[i + 1] = true;
            }
        }
    }

    private static void step(boolean[] reached, String text, char c) {
        for (int i = text.length(); i > 0; i--) {
            char found = text.charAt(i - 1);
            reached[i] = reached[i - 1] && (c == '?' ? found != '/' : found == c);
        }
        reached[0] = false;
    }

    @Override
    public String toString() {
        return pattern;
    }
}

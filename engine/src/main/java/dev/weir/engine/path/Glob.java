package dev.weir.engine.path;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for attribute values: literal text, {@code *} for any characters but a slash, {@code **} for any
 * characters, {@code ?} for one character that is not a slash. {@code /a/**} matches {@code /a} as well. Immutable.
 *
 * <p>The literal pieces between the wildcards must occur in the text one after another. That check rejects nearly every
 * text that does not match; where {@code **} is the only wildcard, it decides. Other texts are decided by dynamic
 * programming. So matching takes at most pattern × text steps; nothing is compiled to a regular expression.
 */
public final class Glob {
    private static final String ANYTHING_BELOW = "/**";

    private final String pattern;
    private final boolean isLiteral;
    private final String first;
    private final String last;
    private final String[] between;
    private final boolean onlyDoubleStars;
    /** The pattern without the {@code /**} at its end; null if it has none. */
    private final @Nullable Glob parent;

    public Glob(String pattern) {
        this(pattern, pattern.endsWith(ANYTHING_BELOW) ? new Glob(withoutEnd(pattern), null) : null);
    }

    private Glob(String pattern, @Nullable Glob parent) {
        this.pattern = pattern;
        List<String> pieces = pieces(pattern);
        this.isLiteral = pieces.size() == 1;
        this.first = pieces.get(0);
        this.last = pieces.get(pieces.size() - 1);
        this.between = isLiteral ? new String[0] : between(pieces);
        this.onlyDoubleStars =
                pattern.indexOf('?') < 0 && pattern.replace("**", "").indexOf('*') < 0;
        this.parent = parent;
    }

    public boolean isLiteral() {
        return isLiteral;
    }

    public boolean matches(String text) {
        if (isLiteral) {
            return pattern.equals(text);
        }
        return (findsPieces(text) && (onlyDoubleStars || fitsExactly(text)))
                || (parent != null && parent.matches(text));
    }

    private static String withoutEnd(String pattern) {
        return pattern.substring(0, pattern.length() - ANYTHING_BELOW.length());
    }

    /** The literal texts before, between and after the wildcards; each may be empty. */
    private static List<String> pieces(String pattern) {
        List<String> pieces = new ArrayList<>();
        int from = 0;
        for (int at = 0; at < pattern.length(); at++) {
            char c = pattern.charAt(at);
            if (c == '*' || c == '?') {
                pieces.add(pattern.substring(from, at));
                at += c == '*' && pattern.startsWith("**", at) ? 1 : 0;
                from = at + 1;
            }
        }
        pieces.add(pattern.substring(from));
        return List.copyOf(pieces);
    }

    /** The pieces between the first and the last, without empty ones. */
    private static String[] between(List<String> pieces) {
        return pieces.subList(1, pieces.size() - 1).stream()
                .filter(piece -> !piece.isEmpty())
                .toArray(String[]::new);
    }

    /**
     * Whether the text begins with the first piece, ends with the last, and contains the others between them in order.
     */
    private boolean findsPieces(String text) {
        int end = text.length() - last.length();
        int at = first.length();
        if (at > end || !text.startsWith(first) || !text.endsWith(last)) {
            return false;
        }
        for (String piece : between) {
            int found = text.indexOf(piece, at);
            if (found < 0 || found + piece.length() > end) {
                return false;
            }
            at = found + piece.length();
        }
        return true;
    }

    /**
     * Dynamic programming, row by row: {@code reached[i]} is whether the pattern so far matches the first {@code i}
     * characters of the text.
     */
    private boolean fitsExactly(String text) {
        boolean[] reached = new boolean[text.length() + 1];
        reached[0] = true;
        int at = 0;
        while (at < pattern.length()) {
            char c = pattern.charAt(at);
            boolean crossesSlashes = pattern.startsWith("**", at);
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

package dev.weir.engine.address;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hops that a list header reports, from right to left: the nearest proxy wrote the last element, and a client may
 * have written any element to its left.
 *
 * <p>Elements are split off from the right, so that nothing further left (such as an open quote) affects how the
 * nearest proxy's element is parsed. Only visited elements are parsed, and an element of more than 512 characters is
 * not a hop: the work is bounded for any header length.
 */
final class Hops {
    private static final int MAX_ELEMENT = 512;

    private final List<String> lines;
    private final boolean isForwarded;
    private int line;
    /** The exclusive end of the next element in the present line; -1 when the line is used up. */
    private int end = -1;

    /**
     * The hops of a header.
     *
     * @param isForwarded whether the lines are of RFC 7239's {@code Forwarded}, with sets of parameters, or of {@code
     *     X-Forwarded-For}, with addresses; both separated by commas
     */
    Hops(List<String> lines, boolean isForwarded) {
        this.lines = lines;
        this.line = lines.size();
        this.isForwarded = isForwarded;
    }

    /** Whether there is another hop further left. */
    boolean hasNext() {
        return end >= 0 || line > 0;
    }

    /** The next hop to the left; null if it is malformed, hidden or empty. */
    @Nullable
    IpAddress next() {
        if (end < 0) {
            end = lines.get(--line).length();
        }
        String text = lines.get(line);
        int to = end;
        int comma = commaBefore(text, to);
        if (comma < -1) {
            return null;
        }
        end = comma;
        int from = comma + 1;
        while (from < to && isBlank(text.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return isForwarded ? ForwardedElement.readFor(text, from, to) : HopAddress.parse(text, from, to);
    }

    static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    /**
     * The comma before the element that ends at {@code to}, -1 at the start of the line, -2 if the element is too long
     * or its quotes are unbalanced.
     */
    private int commaBefore(String text, int to) {
        boolean quoted = false;
        for (int i = to - 1; i >= 0; i--) {
            char c = text.charAt(i);
            if (to - i > MAX_ELEMENT) {
                return -2;
            }
            if (isForwarded && c == '"') {
                // From right to left, a quote inside a quoted string is one that an odd number of backslashes precedes.
                quoted = !quoted || isEscaped(text, i);
            } else if (c == ',' && !quoted) {
                return i;
            }
        }
        return quoted ? -2 : -1;
    }

    private static boolean isEscaped(String text, int quote) {
        int at = quote - 1;
        while (at >= 0 && quote - at <= MAX_ELEMENT && text.charAt(at) == '\\') {
            at--;
        }
        return (quote - 1 - at) % 2 == 1;
    }
}

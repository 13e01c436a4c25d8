package dev.weir.engine.path;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A request's path, and every text that a server may read it as. Immutable.
 *
 * <p>Valid escapes are decoded once, as UTF-8. A {@code %} that begins no escape is kept, and so is, in upper case, an
 * escaped byte that is not UTF-8. The query and a trailing slash are removed. The result has one interpretation, unless
 * it contains something that servers are known to treat differently. Each such {@link Ambiguity} can be interpreted in
 * two ways, and the interpretations are all combinations. An escaped slash that is not a separator is written {@code
 * %2F}, so that a slash in an interpretation always separates segments.
 */
final class RequestPath {
    /*
     * Why a path has several interpretations, and how they are computed.
     *
     * A limit for /admin must hold for every spelling that the application behind Weir serves as /admin. Weir does not
     * know which server that is, and servers disagree: some resolve "/x/..;/admin" to /admin, some decode %2F before
     * they split, some after. So Weir computes each text that some server may arrive at, and a limit applies if one of
     * them matches.
     *
     * 1. `symbols` decodes the escapes once. Each element is a character with flags for its origin: ESCAPED (it was a
     * percent escape, so servers may or may not treat it as syntax) or NO_UTF8 (an escaped byte that is not UTF-8).
     * 2. `doubts` scans the symbols once, splits wherever any server may split, and collects a bit set of ambiguities.
     * 3. A choice is a subset of these bits: the ambiguities that one server resolves. The reader computes the text for
     * one choice: it splits into segments, drops parameters and resolves dot segments.
     * 4. `interpretations` runs the reader for all subsets. With n ambiguities that is about 2^n runs, and each run
     * takes time linear in the path. n is at most MOST_DOUBTS; a path with more is refused, because no honest client
     * sends one.
     *
     * Invariants: `doubts` must find every ambiguity that the reader can act on, or an interpretation is missing and a
     * limit can be evaded. It may find too many: that costs an interpretation that equals another, and counts towards
     * MOST_DOUBTS. The usual interpretation, which most servers use, is the first. It resolves only what is written
     * literally, never what came from an escape or a backslash.
     *
     * LONG_PARAMETERS is no ambiguity of its own: it is a variant of PARAMETERS, so it does not double all the subsets.
     *
     * isPlain recognizes without allocation the paths that are their own and only interpretation, which is nearly every
     * path.
     */
    /** The most ambiguities that are read. A path with more has too many interpretations, and no honest client sends one. */
    static final int MOST_DOUBTS = 4;

    private static final int ESCAPED = 1 << 16;
    private static final int NO_UTF8 = 1 << 17;
    private static final int CHARACTER = 0xFFFF;
    /**
     * A variant of {@link Ambiguity#PARAMETERS}: some servers drop parameters up to the next slash before they decode.
     * Escaped slashes and backslashes in parameters then belong to the parameters.
     */
    private static final int LONG_PARAMETERS = 1 << 14;

    /** An ambiguity: something that servers read differently. The usual interpretation resolves those marked as usual. */
    enum Ambiguity {
        DOT_SEGMENTS(1, "dot segments", true),
        ESCAPED_DOT_SEGMENTS(1 << 1, "escaped dot segments", false),
        EMPTY_SEGMENTS(1 << 2, "empty segments", true),
        ESCAPED_SLASHES(1 << 3, "escaped slashes", false),
        BACKSLASHES(1 << 4, "backslashes", false),
        ESCAPED_BACKSLASHES(1 << 5, "escaped backslashes", false),
        PARAMETERS(1 << 6, "path parameters after ';'", true),
        ESCAPED_PARAMETERS(1 << 7, "an escaped ';'", false),
        FRAGMENT(1 << 8, "a fragment after '#'", true),
        CONTROL_CHARACTERS(1 << 9, "control characters", false),
        HOST(1 << 10, "what may be a host after '//'", false),
        ESCAPED_LATIN1(1 << 11, "escaped bytes that are no UTF-8", false),
        RAW_UTF8(1 << 12, "unescaped characters that may be bytes of UTF-8", true),
        /**
         * Some servers resolve dot segments before they decode. These dot segments then stay, where other servers
         * remove them.
         */
        DOT_SEGMENTS_AT_ESCAPES(1 << 13, "dot segments beside escaped slashes", false);

        private final int bit;
        private final String text;
        private final boolean isUsual;

        Ambiguity(int bit, String text, boolean isUsual) {
            this.bit = bit;
            this.text = text;
            this.isUsual = isUsual;
        }

        int bit() {
            return bit;
        }

        boolean isIn(int doubts) {
            return (doubts & bit()) != 0;
        }
    }

    private final int[] symbols;
    private final int[] symbolsAsUtf8;
    private final int doubts;
    private final boolean mayHaveLongParameters;
    /** The index at which the host begins after a scheme; 0 if there is no scheme. */
    private final int host;

    private RequestPath(String path) {
        String asUtf8 = Utf8Text.ofLatin1(path);
        this.symbols = symbols(path);
        this.symbolsAsUtf8 = asUtf8.equals(path) ? symbols : symbols(asUtf8);
        this.host = hostStart(path);
        int found = doubts(symbols);
        this.mayHaveLongParameters = (found & LONG_PARAMETERS) != 0;
        this.doubts = (found & ~LONG_PARAMETERS)
                | (asUtf8.equals(path) ? 0 : Ambiguity.RAW_UTF8.bit())
                | (host > 0 || startsWithTwoSeparators(symbols) ? Ambiguity.HOST.bit() : 0);
    }

    static RequestPath of(String path) {
        int query = path.indexOf('?');
        return new RequestPath(query < 0 ? path : path.substring(0, query));
    }

    /** Whether a path is its own and only interpretation, as nearly every path is. */
    static boolean isPlain(String path) {
        int length = path.length();
        if (length == 0 || path.charAt(0) != '/' || (length > 1 && path.charAt(length - 1) == '/')) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = path.charAt(i);
            boolean startsOddSegment =
                    c == '/' && i + 1 < length && (path.charAt(i + 1) == '/' || path.charAt(i + 1) == '.');
            boolean isOdd = c < ' ' || c > '~' || c == '%' || c == '?' || c == '#' || c == ';' || c == '\\';
            if (isOdd || startsOddSegment) {
                return false;
            }
        }
        return true;
    }

    /** The number of ambiguities. */
    int doubts() {
        return Integer.bitCount(doubts);
    }

    /** The ambiguities in words, for messages. */
    String doubtsText() {
        List<String> texts = new ArrayList<>();
        for (Ambiguity doubt : Ambiguity.values()) {
            if (doubt.isIn(doubts)) {
                texts.add(doubt.text);
            }
        }
        return String.join(", ", texts);
    }

    /** The interpretation of most servers. It resolves nothing that came from an escape or a backslash. */
    String usual() {
        return new PathReader(usualChoices()).read();
    }

    /**
     * Every interpretation, the usual one first. For a trailing slash there is also an interpretation that keeps it.
     *
     * @throws IllegalStateException if there are more than {@value #MOST_DOUBTS} ambiguities
     */
    Set<String> interpretations() {
        if (doubts() > MOST_DOUBTS) {
            throw new IllegalStateException("there are " + doubts() + " doubts; at most " + MOST_DOUBTS + " are read");
        }
        Set<String> interpretations = new LinkedHashSet<>();
        add(interpretations, usualChoices());
        // All subsets of the ambiguities.
        for (int choices = doubts; choices > 0; choices = (choices - 1) & doubts) {
            add(interpretations, choices);
        }
        add(interpretations, 0);
        return interpretations;
    }

    private void add(Set<String> interpretations, int choices) {
        read(interpretations, choices);
        if (mayHaveLongParameters && Ambiguity.PARAMETERS.isIn(choices)) {
            read(interpretations, choices | LONG_PARAMETERS);
        }
    }

    private void read(Set<String> interpretations, int choices) {
        PathReader reader = new PathReader(choices);
        String interpretation = reader.read();
        interpretations.add(interpretation);
        if (reader.endsInSlash && interpretation.length() > 1) {
            interpretations.add(interpretation + "/");
        }
    }

    private int usualChoices() {
        int usual = 0;
        for (Ambiguity doubt : Ambiguity.values()) {
            usual |= doubt.isUsual || (doubt == Ambiguity.HOST && host > 0) ? doubt.bit() : 0;
        }
        return usual & doubts;
    }

    /**
     * Reads the path as a server that resolves the chosen ambiguities: splits it, drops parameters, resolves dot
     * segments.
     */
    private final class PathReader {
        private final int choices;
        private final StringBuilder resolved = new StringBuilder();
        private final StringBuilder segment = new StringBuilder();
        private boolean hasEscapedDot;
        private boolean followsEscape;
        private boolean endsInSlash;

        PathReader(int choices) {
            this.choices = choices;
        }

        String read() {
            int[] read = takes(Ambiguity.RAW_UTF8) ? symbolsAsUtf8 : symbols;
            boolean isInParameters = false;
            int start = start(read);
            followsEscape = start > 0 && isEscapedSeparator(read[start - 1]);
            for (int i = start; i <= read.length; i++) {
                boolean isEnd = i == read.length || endsPath(read[i]);
                if (isEnd || (separates(read[i]) && !(isInParameters && isPartOfParameters(read[i])))) {
                    boolean isEscaped = !isEnd && isEscapedSeparator(read[i]);
                    close(isEnd, isEscaped);
                    followsEscape = isEscaped;
                    isInParameters = false;
                    if (isEnd) {
                        break;
                    }
                } else if (!isInParameters && beginsParameters(read[i])) {
                    isInParameters = true;
                } else if (!isInParameters && !(isControl(read[i]) && takes(Ambiguity.CONTROL_CHARACTERS))) {
                    append(read[i]);
                }
            }
            return resolved.isEmpty() ? "/" : resolved.toString();
        }

        private boolean takes(Ambiguity doubt) {
            return doubt.isIn(choices);
        }

        /** The index at which the first segment begins. */
        private int start(int[] read) {
            int at = 0;
            while (at < read.length && separates(read[at])) {
                at++;
            }
            if (!takes(Ambiguity.HOST) || (host == 0 && at < 2)) {
                return Math.min(at, 1);
            }
            at = Math.max(at, host);
            while (at < read.length && !separates(read[at])) {
                at++;
            }
            return Math.min(at + 1, read.length);
        }

        private boolean separates(int symbol) {
            return symbol == '/'
                    || (symbol == ('/' | ESCAPED) && takes(Ambiguity.ESCAPED_SLASHES))
                    || (symbol == '\\' && takes(Ambiguity.BACKSLASHES))
                    || (symbol == ('\\' | ESCAPED) && takes(Ambiguity.ESCAPED_BACKSLASHES));
        }

        private boolean endsPath(int symbol) {
            return (symbol == '#' && takes(Ambiguity.FRAGMENT))
                    || ((symbol & ~ESCAPED) == 0 && takes(Ambiguity.CONTROL_CHARACTERS));
        }

        private boolean beginsParameters(int symbol) {
            return (symbol == ';' && takes(Ambiguity.PARAMETERS))
                    || (symbol == (';' | ESCAPED) && takes(Ambiguity.ESCAPED_PARAMETERS));
        }

        private boolean isPartOfParameters(int separator) {
            return separator != '/' && (choices & LONG_PARAMETERS) != 0;
        }

        private void append(int symbol) {
            hasEscapedDot |= symbol == ('.' | ESCAPED);
            if (symbol == ('/' | ESCAPED)) {
                segment.append("%2F");
            } else if ((symbol & NO_UTF8) != 0 && !takes(Ambiguity.ESCAPED_LATIN1)) {
                segment.append(escape(symbol));
            } else {
                segment.append((char) (symbol & CHARACTER));
            }
        }

        private void close(boolean isLast, boolean precedesEscape) {
            boolean isParent = segment.length() == 2 && segment.charAt(0) == '.' && segment.charAt(1) == '.';
            boolean isSelf = segment.length() == 1 && segment.charAt(0) == '.';
            boolean isResolved =
                    (isParent || isSelf) && takes(dotSegment(hasEscapedDot, followsEscape || precedesEscape));
            if (isResolved) {
                resolved.setLength(isParent ? Math.max(0, resolved.lastIndexOf("/")) : resolved.length());
            } else if (!segment.isEmpty() || !(isLast || takes(Ambiguity.EMPTY_SEGMENTS))) {
                resolved.append('/').append(segment);
            }
            endsInSlash = segment.isEmpty() || isResolved;
            segment.setLength(0);
            hasEscapedDot = false;
        }
    }

    /** The decoded characters, with flags for their origin. */
    private static int[] symbols(String path) {
        int[] symbols = new int[path.length()];
        int size = 0;
        for (int i = 0; i < path.length(); i++) {
            int code = Utf8Text.escapedByte(path, i);
            if (code < 0) {
                symbols[size++] = path.charAt(i);
                continue;
            }
            int bytes = Utf8Text.escapedLength(path, i);
            if (bytes == 0) {
                symbols[size++] = code | NO_UTF8;
            } else if (bytes == 1) {
                symbols[size++] = code | ESCAPED;
            } else {
                for (char c : Character.toChars(Utf8Text.escapedCodePoint(path, i, bytes))) {
                    symbols[size++] = c;
                }
            }
            i += 3 * Math.max(1, bytes) - 1;
        }
        return Arrays.copyOf(symbols, size);
    }

    /** Splits the path wherever any server may, and returns the ambiguities found, and {@link #LONG_PARAMETERS}. */
    private static int doubts(int[] symbols) {
        int found = 0;
        int length = 0;
        boolean isDots = true;
        boolean hasEscapedDot = false;
        boolean isInParameters = false;
        boolean isBeforeSlash = false;
        boolean followsEscape = false;
        for (int i = 0; i <= symbols.length; i++) {
            boolean isEnd = i == symbols.length;
            if (!isEnd) {
                found |= doubt(symbols[i]);
                isBeforeSlash = symbols[i] == ';' || (isBeforeSlash && symbols[i] != '/');
                found |= isBeforeSlash && maySeparate(symbols[i]) ? LONG_PARAMETERS : 0;
            }
            if (isEnd || maySeparate(symbols[i]) || symbols[i] == '#' || (symbols[i] & ~ESCAPED) == 0) {
                if (length == 0 && i > 0 && !isEnd) {
                    found |= Ambiguity.EMPTY_SEGMENTS.bit();
                } else if (isDots && length > 0 && length <= 2) {
                    boolean precedesEscape = !isEnd && isEscapedSeparator(symbols[i]);
                    found |= dotSegment(hasEscapedDot, followsEscape || precedesEscape)
                            .bit();
                    // Some servers treat the escaped slash as part of the parameters.
                    found |= isInParameters && precedesEscape
                            ? dotSegment(hasEscapedDot, followsEscape).bit()
                            : 0;
                }
                followsEscape = !isEnd && isEscapedSeparator(symbols[i]);
                length = 0;
                isDots = true;
                hasEscapedDot = false;
                isInParameters = false;
            } else if ((symbols[i] & ~ESCAPED) == ';') {
                isInParameters = true;
            } else if (!isInParameters && !isControl(symbols[i])) {
                length++;
                isDots &= (symbols[i] & ~ESCAPED) == '.';
                hasEscapedDot |= symbols[i] == ('.' | ESCAPED);
            }
        }
        return found;
    }

    private static int doubt(int symbol) {
        if (isControl(symbol)) {
            return Ambiguity.CONTROL_CHARACTERS.bit();
        }
        if ((symbol & NO_UTF8) != 0) {
            return Ambiguity.ESCAPED_LATIN1.bit();
        }
        boolean isEscaped = (symbol & ESCAPED) != 0;
        return switch (symbol & CHARACTER) {
            case '/' -> isEscaped ? Ambiguity.ESCAPED_SLASHES.bit() : 0;
            case '\\' -> (isEscaped ? Ambiguity.ESCAPED_BACKSLASHES : Ambiguity.BACKSLASHES).bit();
            case ';' -> (isEscaped ? Ambiguity.ESCAPED_PARAMETERS : Ambiguity.PARAMETERS).bit();
            case '#' -> isEscaped ? 0 : Ambiguity.FRAGMENT.bit();
            default -> 0;
        };
    }

    private static boolean startsWithTwoSeparators(int[] symbols) {
        return symbols.length > 1 && maySeparate(symbols[0]) && maySeparate(symbols[1]);
    }

    private static boolean maySeparate(int symbol) {
        return (symbol & ~ESCAPED) == '/' || (symbol & ~ESCAPED) == '\\';
    }

    private static boolean isEscapedSeparator(int symbol) {
        return (symbol & ESCAPED) != 0 && maySeparate(symbol);
    }

    private static Ambiguity dotSegment(boolean hasEscapedDot, boolean isAtEscape) {
        if (isAtEscape) {
            return Ambiguity.DOT_SEGMENTS_AT_ESCAPES;
        }
        return hasEscapedDot ? Ambiguity.ESCAPED_DOT_SEGMENTS : Ambiguity.DOT_SEGMENTS;
    }

    private static boolean isControl(int symbol) {
        int c = symbol & ~ESCAPED;
        return c < ' ' || c == 0x7F;
    }

    /** The index at which the host begins in {@code http://host/path}; 0 if the text is not of that form. */
    private static int hostStart(String path) {
        int end = path.indexOf("://");
        for (int i = 0; i < end; i++) {
            char c = path.charAt(i);
            boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!isLetter && (i == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'))) {
                return 0;
            }
        }
        return end <= 0 ? 0 : end + 3;
    }

    private static String escape(int symbol) {
        return String.format("%%%02X", symbol & 0xFF);
    }
}

package dev.weir.engine.path;

import dev.weir.ArgumentException;
import dev.weir.engine.AttributeText;
import dev.weir.engine.config.AmbiguousPaths;
import dev.weir.engine.config.PathCase;
import dev.weir.engine.config.PathRules;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Normalizes the paths of requests and those of the configuration, so that they can be compared. This class and {@link
 * RequestPath} are the only ones that interpret spellings of paths: bindings pass a path as it was sent. Immutable.
 *
 * <p>A path is compared in full. It is {@linkplain #keyText bounded} only as part of a key.
 */
public final class PathNormalizer {
    private static final int SHOWN = 64;

    private final boolean refusesAmbiguous;
    private final boolean ignoresCase;

    public PathNormalizer(PathRules rules) {
        this.refusesAmbiguous = rules.ambiguous() == AmbiguousPaths.REFUSE;
        this.ignoresCase = rules.letterCase() == PathCase.INSENSITIVE;
    }

    /** The interpretation of most servers. */
    public String usual(String path) {
        return fold(RequestPath.isPlain(path) ? path : RequestPath.of(path).usual());
    }

    public boolean refusesAmbiguous() {
        return refusesAmbiguous;
    }

    /** Whether a path has one interpretation, the usual one. */
    public boolean isPlain(String path) {
        return RequestPath.isPlain(path);
    }

    /**
     * Every text that a server may read the path as, the usual one first.
     *
     * @throws IllegalArgumentException if the path is ambiguous and such paths are refused, or if it has too many
     *     interpretations
     */
    public Set<String> interpretations(String path) {
        RequestPath parsed = RequestPath.of(path);
        if (parsed.doubts() > (refusesAmbiguous ? 0 : RequestPath.MOST_DOUBTS)) {
            throw new ArgumentException(
                    "attributes.path",
                    "attribute 'path' is '" + ClientText.shown(path, SHOWN)
                            + "', which servers read in different ways (" + parsed.doubtsText() + "); it must be "
                            + (refusesAmbiguous ? "unambiguous" : "simpler"));
        }
        if (!ignoresCase) {
            return parsed.interpretations();
        }
        Set<String> folded = new LinkedHashSet<>();
        parsed.interpretations().forEach(interpretation -> folded.add(fold(interpretation)));
        return folded;
    }

    /** A pattern for an attribute, in the form that values are compared to. */
    public String pattern(String attribute, String pattern) {
        return attribute.equals("path") ? pathPattern(pattern) : pattern;
    }

    /**
     * A path pattern of the configuration, in the form that interpretations are compared to: escapes decoded, no
     * trailing slash. An escaped wildcard becomes {@code ?}, which also matches the character that was meant.
     */
    private String pathPattern(String pattern) {
        StringBuilder decoded = new StringBuilder(pattern.length());
        for (int i = 0; i < pattern.length(); i++) {
            int code = Utf8Text.escapedByte(pattern, i);
            if (code < 0) {
                decoded.append(pattern.charAt(i));
                continue;
            }
            int bytes = Utf8Text.escapedLength(pattern, i);
            if (bytes == 0 || code == '/') {
                decoded.append(pattern.substring(i, i + 3).toUpperCase(Locale.ROOT));
            } else if (code == '*' || code == '?') {
                decoded.append('?');
            } else {
                decoded.appendCodePoint(Utf8Text.escapedCodePoint(pattern, i, bytes));
            }
            i += 3 * Math.max(1, bytes) - 1;
        }
        boolean endsInSlash = decoded.length() > 1 && decoded.charAt(decoded.length() - 1) == '/';
        return fold(endsInSlash ? decoded.substring(0, decoded.length() - 1) : decoded.toString());
    }

    /** A path of the configuration or of settings, as keys contain it. */
    public String value(String path) {
        return keyText(usual(path));
    }

    /** An interpretation as part of a key: without a trailing slash, and bounded to the longest value. */
    public static String keyText(String interpretation) {
        int end = interpretation.length() - 1;
        boolean endsInSlash = end > 0 && interpretation.charAt(end) == '/';
        return AttributeText.bounded(endsInSlash ? interpretation.substring(0, end) : interpretation);
    }

    private String fold(String text) {
        if (!ignoresCase) {
            return text;
        }
        char[] folded = text.toCharArray();
        for (int i = 0; i < folded.length; i++) {
            folded[i] = Character.toLowerCase(Character.toUpperCase(folded[i]));
        }
        return new String(folded);
    }
}

package dev.weir.server.envoy;

import dev.weir.server.envoy.RateLimitQuery.Entry;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The entries of a descriptor as one text, which is part of a key: {@code plan=free,user=alice}.
 *
 * <p>Injective: a comma, an equals sign or a backslash in a key or a value follows a backslash, so no value looks like
 * another entry. A long text is replaced by its digest, so keys stay short whatever a client sends.
 */
final class EntriesText {
    private static final int LONGEST = 1_024;
    /** For no entries: an empty text is no part of a key. No other text has a backslash before a letter. */
    private static final String NONE = "\\none";
    /** How much of a long text stays readable. */
    private static final int SHOWN = 64;

    private EntriesText() {}

    static String of(List<Entry> entries) {
        if (entries.isEmpty()) {
            return NONE;
        }
        StringBuilder text = new StringBuilder(32 * entries.size());
        for (Entry entry : entries) {
            if (!text.isEmpty()) {
                text.append(',');
            }
            escape(text, entry.key());
            escape(text.append('='), entry.value());
        }
        return text.length() <= LONGEST ? text.toString() : shortened(text.toString());
    }

    /** The keys alone, joined by commas. */
    static String keys(List<String> keys) {
        String text = keys.stream().map(EntriesText::escaped).collect(Collectors.joining(","));
        return text.length() <= LONGEST ? text : shortened(text);
    }

    private static String escaped(String part) {
        StringBuilder text = new StringBuilder();
        escape(text, part);
        return text.toString();
    }

    private static void escape(StringBuilder text, String part) {
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c == ',' || c == '=' || c == '\\') {
                text.append('\\');
            }
            text.append(c);
        }
    }

    private static String shortened(String text) {
        int end = Character.isHighSurrogate(text.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN;
        // No other text has a backslash before a hash sign.
        return text.substring(0, end) + "\\#" + digest(text);
    }

    /** The SHA-256 of a text, in hexadecimal. */
    static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}

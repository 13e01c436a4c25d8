package dev.weir.store.scripted;

import dev.weir.Key;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Builds the backend's key names: {@code prefix:{tag}}, a letter for the kind, then the key's text.
 *
 * <p>The tag is one of {@link #TAGS}: a hash of the key's values without the limit's name. All limits of one user
 * therefore share a hash slot or a shard and are decided in one call. Text from clients contains no braces
 * ({@link Key#text()}) and follows the tag, so a client cannot choose a tag. Safe for use by several threads.
 */
public final class KeyNames {
    /** Number of tags. Keys with the same tag can always share a call. */
    public static final int TAGS = 256;

    private static final char BUDGET = 'b';
    private static final char CLOCK = 'c';
    private static final char FIRST_SEEN = 'm';
    private static final int SETTINGS_TAG = 0;

    /** Size of the name cache, a power of two. With {@link #LONGEST_REMEMBERED} it takes a few megabytes at most. */
    private static final int LATELY = 4_096;

    private static final int LONGEST_REMEMBERED = 256;

    /** Longer texts are replaced by their digest, because records and calls bound the length of a name. */
    private static final int LONGEST_TEXT = 2_000;

    /** A message about a key: everything up to the letter, the key's text, the rest. */
    private static final Pattern NAMED = Pattern.compile(
            "(.*?:\\{[0-9a-f]{2}}[a-z])(.*?)(| is no (?:state|clock) of Weir| holds a [a-z]+, which is no state of Weir)",
            Pattern.DOTALL);
    /** Length of a shown digest: a brace and eight digits. */
    private static final int SHOWN_DIGEST = 9;

    private final String[] beginnings = new String[TAGS];
    private final KeyName[] clocks = new KeyName[TAGS];

    /** Cache of recent names by the key's hash. Racing threads may build the same name twice, which is harmless. */
    private final @Nullable Named[] lately = new Named[LATELY];

    private record Named(Key key, KeyName name) {}

    public KeyNames(String prefix) {
        for (int tag = 0; tag < TAGS; tag++) {
            beginnings[tag] = prefix + ":{" + HexFormat.of().toHexDigits((byte) tag) + "}";
            clocks[tag] = name(tag, CLOCK, "");
        }
    }

    /** The name of a key's budget. */
    public KeyName budget(Key key) {
        int place = (int) key.hash() & (LATELY - 1);
        Named known = lately[place];
        if (known != null && known.key.equals(key)) {
            return known.name;
        }
        KeyName name = name(tag(key), BUDGET, text(key));
        if (name.bytes().length <= LONGEST_REMEMBERED) {
            lately[place] = new Named(key, name);
        }
        return name;
    }

    /** The name of the record that an id has under one tag. */
    KeyName record(RecordKind kind, String id, int tag) {
        return name(tag, kind.letter, escaped(id));
    }

    /** The name of the value that stores when a policy was first seen. */
    KeyName firstSeen(byte[] policy) {
        return name(
                tag(List.of(), HexFormat.of().formatHex(policy)),
                FIRST_SEEN,
                HexFormat.of().formatHex(policy));
    }

    /** The name of the store's clock for the keys of one tag. */
    public KeyName clock(int tag) {
        return clocks[tag];
    }

    /** The name of one part of the settings. All parts share a tag. */
    public String settings(String part) {
        return beginnings[SETTINGS_TAG] + "s" + part;
    }

    /** The tag of an id. */
    static int tag(String id) {
        return tag(List.of(), id);
    }

    static int tag(Key key) {
        return tag(key.values(), key.scope());
    }

    /** The escaped form of an id: unique, and without control characters. */
    static String escaped(String id) {
        String text = Key.of(id).text();
        return text.length() <= LONGEST_TEXT ? text : digest(text);
    }

    /** The key's text, which always begins with the scope. */
    private static String text(Key key) {
        String text = key.text();
        if (text.length() <= LONGEST_TEXT) {
            return text;
        }
        String scope = escaped(key.scope());
        return key.values().isEmpty() ? scope : scope + ":" + digest(text);
    }

    /**
     * A script's error message with the key's text replaced by a digest. The text may identify a person, and the
     * message may be logged.
     */
    static String redacted(String message) {
        Matcher named = NAMED.matcher(message);
        if (!named.matches()) {
            return message;
        }
        String text = named.group(2);
        return named.group(1) + (text.isEmpty() ? "" : digest(text).substring(0, SHOWN_DIGEST) + "…}") + named.group(3);
    }

    /** A digest in braces. No other text contains braces. */
    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "{" + HexFormat.of().formatHex(digest) + "}";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private KeyName name(int tag, char letter, String text) {
        return new KeyName((beginnings[tag] + letter + text).getBytes(StandardCharsets.UTF_8), tag);
    }

    /** FNV-1a over the values, or over the scope where there are none; the same in every process. */
    private static int tag(List<String> values, String scope) {
        int hash = 0x811C9DC5;
        if (values.isEmpty()) {
            hash = mixed(hash, scope);
        }
        for (int i = 0; i < values.size(); i++) {
            hash = mixed((hash ^ i) * 0x01000193, values.get(i));
        }
        return (hash ^ (hash >>> 8) ^ (hash >>> 16) ^ (hash >>> 24)) & (TAGS - 1);
    }

    private static int mixed(int hash, String text) {
        int mixed = hash;
        for (int i = 0; i < text.length(); i++) {
            mixed = (mixed ^ text.charAt(i)) * 0x01000193;
        }
        return mixed;
    }

    /** The kinds of records that an id can have. */
    enum RecordKind {
        RESERVATION('r'),
        LEASE('l'),
        /** The tags that a reservation or a lease uses, on a partitioned backend. */
        DIRECTORY('i');

        private final char letter;

        RecordKind(char letter) {
            this.letter = letter;
        }
    }
}

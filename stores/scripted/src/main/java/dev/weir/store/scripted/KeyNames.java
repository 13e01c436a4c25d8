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
 * Names things for the script: {@code prefix:{tag}} and a letter, then the key's own text.
 *
 * <p>The tag is one of {@link #TAGS} and ours: a hash of whose budget it is, without the limit's name, so that all limits
 * of one user share a slot or a shard and are decided in one call. A client's text has no braces left when it gets
 * here ({@link Key#text()}), and comes after the tag: it cannot choose its place.
 */
public final class KeyNames {
    /** How many parts the key space has. What shares one can always travel in one call. */
    public static final int TAGS = 256;

    private static final char BUDGET = 'b';
    private static final char CLOCK = 'c';
    private static final char MEETING = 'm';
    private static final int SETTINGS_TAG = 0;

    /** How many names are remembered, a power of two, and how long they may be: together at most a few megabytes. */
    private static final int LATELY = 4_096;

    private static final int LONGEST_REMEMBERED = 256;

    /** Longer texts are kept as their digest: a name stands in records and calls, which have room for only so much. */
    private static final int LONGEST_TEXT = 2_000;

    /** A message about a key: up to its letter, its own text, the rest. */
    private static final Pattern NAMED = Pattern.compile(
            "(.*?:\\{[0-9a-f]{2}}[a-z])(.*?)(| is no (?:state|clock) of Weir| holds a [a-z]+, which is no state of Weir)",
            Pattern.DOTALL);
    /** A brace and eight digits. */
    private static final int SHOWN_DIGEST = 9;

    private final String[] beginnings = new String[TAGS];
    private final KeyName[] clocks = new KeyName[TAGS];

    /** Names that were asked for lately, by the key's hash: a hot key is named once. A race names one twice. */
    private final @Nullable Named[] lately = new Named[LATELY];

    private record Named(Key key, KeyName name) {}

    public KeyNames(String prefix) {
        for (int tag = 0; tag < TAGS; tag++) {
            beginnings[tag] = prefix + ":{" + HexFormat.of().toHexDigits((byte) tag) + "}";
            clocks[tag] = name(tag, CLOCK, "");
        }
    }

    /** A budget. */
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

    /** What is held under an id, as far as it concerns the keys of one tag. */
    KeyName record(RecordKind kind, String id, int tag) {
        return name(tag, kind.letter, escaped(id));
    }

    /** When a policy was first met. */
    KeyName meeting(byte[] policy) {
        return name(
                tag(List.of(), HexFormat.of().formatHex(policy)),
                MEETING,
                HexFormat.of().formatHex(policy));
    }

    /** The store's clock, beside the keys of one tag. */
    public KeyName clock(int tag) {
        return clocks[tag];
    }

    /** A part of the settings, all in one slot. */
    public String settings(String part) {
        return beginnings[SETTINGS_TAG] + "s" + part;
    }

    /** The tag under which an id's first record is. */
    static int tag(String id) {
        return tag(List.of(), id);
    }

    static int tag(Key key) {
        return tag(key.values(), key.scope());
    }

    /** An id as a text that has no control characters, and that no other id has. */
    static String escaped(String id) {
        String text = Key.of(id).text();
        return text.length() <= LONGEST_TEXT ? text : digest(text);
    }

    /** The key's own text, of which the scope always comes first. */
    private static String text(Key key) {
        String text = key.text();
        if (text.length() <= LONGEST_TEXT) {
            return text;
        }
        String scope = escaped(key.scope());
        return key.values().isEmpty() ? scope : scope + ":" + digest(text);
    }

    /**
     * What a script says is wrong, without the text of the key that it names: that may identify somebody, and the message
     * gets into logs. A digest of the text stands for it.
     */
    static String redacted(String message) {
        Matcher named = NAMED.matcher(message);
        if (!named.matches()) {
            return message;
        }
        String text = named.group(2);
        return named.group(1) + (text.isEmpty() ? "" : digest(text).substring(0, SHOWN_DIGEST) + "…}") + named.group(3);
    }

    /** In braces, which no text has that is not a digest. */
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

    /** What can be held under an id. */
    enum RecordKind {
        RESERVATION('r'),
        LEASE('l'),
        /** Where the parts of a reservation or a lease are, where they are in different places. */
        DIRECTORY('i');

        private final char letter;

        RecordKind(char letter) {
            this.letter = letter;
        }
    }
}

package dev.weir.engine;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts texts of clients to attribute values, for authors of bindings. */
public final class AttributeText {
    /** The longest value, in characters; a longer one is replaced by its beginning and its digest. */
    public static final int LONGEST = 512;

    private static final int SHOWN = 64;

    private AttributeText() {}

    /** Adds an attribute, {@linkplain #bounded bounded}; null and empty values are absent. */
    public static void put(Map<String, String> attributes, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            attributes.put(name, bounded(value));
        }
    }

    /**
     * The value itself, or its beginning and its digest if it is longer than {@value #LONGEST} characters. Different
     * values stay different, and no key grows with what a client sends.
     */
    public static String bounded(String value) {
        if (value.length() <= LONGEST) {
            return value;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
            return value.substring(0, SHOWN) + "…sha256:" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }
}

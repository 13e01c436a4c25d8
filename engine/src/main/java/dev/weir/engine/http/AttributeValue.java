package dev.weir.engine.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What a client sends, as the value of an attribute. */
public final class AttributeValue {
    private static final int LONGEST = 512;
    private static final int SHOWN = 64;

    private AttributeValue() {}

    /**
     * The value as it counts: one of more than 512 characters by its digest, so that others are still told apart and no
     * key grows with what a client sends.
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

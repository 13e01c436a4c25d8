package dev.weir.store.jdbc.rows;

import dev.weir.Key;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The primary key of a row: the bytes of a key's text or, if these are too long, a zero byte and their SHA-256.
 *
 * <p>Texts of keys contain no control characters. So none begins with a zero byte, and no two keys share a row.
 */
public final class RowKey {
    /** The longest text in bytes that is not hashed. */
    static final int LONGEST_TEXT = 200;

    private final byte[] bytes;
    private final int hash;

    private RowKey(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    public static RowKey of(Key key) {
        return new RowKey(shortened(key.text().getBytes(StandardCharsets.UTF_8)));
    }

    /** The row of a reservation. */
    public static RowKey ofReservation(String id) {
        return of(Key.of("r", id));
    }

    /** The row of a lease. */
    public static RowKey ofLease(String id) {
        return of(Key.of("l", id));
    }

    /** The primary key of a row that was read. */
    public static RowKey of(byte[] bytes) {
        return new RowKey(bytes);
    }

    public byte[] bytes() {
        return bytes;
    }

    /**
     * The number of the row's lock: FNV-1a, the same in every process. Two rows with the same number wait for each
     * other, which is harmless.
     */
    public long lock() {
        long lock = 0xcbf29ce484222325L;
        for (byte b : bytes) {
            lock = (lock ^ (b & 0xff)) * 0x100000001b3L;
        }
        return lock;
    }

    private static byte[] shortened(byte[] text) {
        if (text.length <= LONGEST_TEXT) {
            return text;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text);
            byte[] marked = new byte[digest.length + 1];
            System.arraycopy(digest, 0, marked, 1, digest.length);
            return marked;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RowKey key && hash == key.hash && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Without the bytes: they may be personal data. */
    @Override
    public String toString() {
        return "RowKey[" + bytes.length + " bytes]";
    }
}

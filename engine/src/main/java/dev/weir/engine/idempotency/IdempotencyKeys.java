package dev.weir.engine.idempotency;

import dev.weir.Key;
import dev.weir.engine.http.HeaderName;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rules for idempotency keys that all bindings share. */
public final class IdempotencyKeys {
    /** The longest key, in characters. */
    public static final int LONGEST_KEY = 255;

    /** The header that marks a replayed response. */
    public static final String REPLAYED = "Idempotency-Replayed";

    /** Statuses that may differ another time: the same request may be sent by another user, or later. */
    private static final Set<Integer> PASSING = Set.of(401, 403, 407, 408, 409, 423, 425, 429);

    /** Headers that belong to one transmission or one client, and not to the response. */
    private static final Set<String> TRANSIENT = Set.of(
            "content-length",
            "content-type",
            "date",
            "connection",
            "keep-alive",
            "transfer-encoding",
            "set-cookie",
            "access-control-expose-headers",
            HeaderName.LIMIT.toLowerCase(Locale.ROOT),
            HeaderName.REMAINING.toLowerCase(Locale.ROOT),
            HeaderName.RESET.toLowerCase(Locale.ROOT),
            HeaderName.POLICY.toLowerCase(Locale.ROOT),
            HeaderName.STATE.toLowerCase(Locale.ROOT),
            HeaderName.RETRY_AFTER.toLowerCase(Locale.ROOT),
            HeaderName.WARNING.toLowerCase(Locale.ROOT));

    private IdempotencyKeys() {}

    /** Whether requests of this method are processed once by default: POST and PATCH. */
    public static boolean concerns(String method) {
        return method.equals("POST") || method.equals("PATCH");
    }

    /** Whether a response of this status is stored by default. */
    public static boolean remembers(int status) {
        return status < 500 && !PASSING.contains(status);
    }

    /** Whether a header of a response is stored. */
    public static boolean isRemembered(String header) {
        return !TRANSIENT.contains(header.toLowerCase(Locale.ROOT));
    }

    /** The key, quoted as in the standard or not; null if it is invalid. */
    public static @Nullable String parse(String line) {
        String text = line.trim();
        if (text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"")) {
            text = text.substring(1, text.length() - 1);
        }
        boolean isVisible = text.chars().allMatch(c -> c > ' ' && c < 0x7f);
        return text.isEmpty() || text.length() > LONGEST_KEY || !isVisible ? null : text;
    }

    /**
     * The key in the store. It contains the owner of the key, so that no client gets another client's response.
     *
     * @param per the attributes of which the first present one identifies the owner
     */
    public static Key key(List<String> per, Map<String, String> attributes, String text) {
        for (String attribute : per) {
            String value = attributes.get(attribute);
            if (value != null) {
                return Key.of("idempotency", attribute, value, text);
            }
        }
        return Key.of("idempotency", "", "", text);
    }

    /** The digest that detects a key which is used for another request. */
    public static byte[] digest(String method, String uri, @Nullable String query, byte[] body) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
        digest.update((method + " " + uri + "?" + query + "\n").getBytes(StandardCharsets.UTF_8));
        digest.update(body);
        return digest.digest();
    }
}

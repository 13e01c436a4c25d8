package dev.weir.example.hub;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The registered agents and their tokens. A token is {@code NAME.SECRET}; only a digest of the secret is stored.
 * Confined to the hub's event loop.
 */
final class Registry {
    static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private static final int MOST = 10_000;
    private static final int SECRET_BYTES = 32;

    private final Map<String, byte[]> digests = new HashMap<>();
    private final SecureRandom random = new SecureRandom();

    /**
     * Registers an agent.
     *
     * @return its token, which is returned only here
     * @throws HubError if the name is taken, or there are too many agents
     */
    String register(String name) {
        if (digests.containsKey(name)) {
            throw HubError.conflict("there is an agent of this name");
        }
        if (digests.size() >= MOST) {
            throw HubError.full("there are " + MOST + " agents; no more can register");
        }
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return admit(name, Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
    }

    /** Registers an agent with a given secret. */
    String admit(String name, String secret) {
        digests.put(name, digest(secret));
        return name + "." + secret;
    }

    /** Returns the agent of a token; null if the token is not valid. */
    @Nullable
    String holder(String token) {
        int dot = token.indexOf('.');
        if (dot < 0) {
            return null;
        }
        String name = token.substring(0, dot);
        byte[] expected = digests.get(name);
        boolean holds = expected != null && MessageDigest.isEqual(expected, digest(token.substring(dot + 1)));
        return holds ? name : null;
    }

    private static byte[] digest(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}

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
 * The agents that are registered, and by which tokens they prove it. A token is {@code NAME.SECRET}; only the secret's
 * digest is kept. Belongs to the hub's event loop.
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
     * @return its token, which is told once
     * @throws Problem if the name is taken, or there are too many
     */
    String register(String name) {
        if (digests.containsKey(name)) {
            throw Problem.conflict("there is an agent of this name");
        }
        if (digests.size() >= MOST) {
            throw Problem.full("there are " + MOST + " agents; no more can register");
        }
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return admit(name, Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
    }

    /** Registers an agent whose secret is known. */
    String admit(String name, String secret) {
        digests.put(name, digest(secret));
        return name + "." + secret;
    }

    /** Whose token this is; null if nobody's. */
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

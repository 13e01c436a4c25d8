package dev.weir.server.http;

import dev.weir.engine.access.AccessRole;
import dev.weir.engine.access.AccessToken;
import dev.weir.engine.access.AccessTokenReader;
import dev.weir.engine.config.ConfigurationException;
import dev.weir.server.StartException;
import dev.weir.server.WeirServer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that are currently valid: the admin token, and those of a file that is read again when it changes. A file
 * with faults changes nothing and is logged.
 *
 * <p>Only digests are kept. A presented token is compared with every entry, in constant time, so the duration reveals
 * neither its length, its beginning nor its position.
 */
public final class Tokens {
    /** The name of the token that is given as an option. */
    static final String ADMIN = "admin";

    private static final Logger LOG = System.getLogger(WeirServer.class.getName());
    private static final int MOST_BYTES = (1 << 20) + 1;

    private final @Nullable AccessToken admin;
    private final @Nullable Path file;
    private volatile List<AccessToken> entries;
    /** The content that was read last; guarded by this. */
    private byte[] known = {};
    /** A changed content seen once, which is used when it is seen again unchanged; guarded by this. */
    private byte @Nullable [] seen;
    /** Whether it was logged that the file cannot be read; guarded by this. */
    private boolean isMissing;

    private static String sha256(String token) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    /** Compares in constant time. */
    private static boolean isEqual(String sha256, String other) {
        return MessageDigest.isEqual(
                sha256.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Creates the tokens of a server.
     *
     * @throws StartException if the file cannot be used
     */
    Tokens(@Nullable String adminToken, @Nullable Path file) {
        this.admin = adminToken == null ? null : new AccessToken(ADMIN, AccessRole.ADMIN, sha256(adminToken));
        this.file = file;
        this.entries = admin == null ? List.of() : List.of(admin);
        if (file != null) {
            try {
                known = content(file);
                entries = read(file, known);
            } catch (IOException e) {
                throw cannotUse(
                        file + " cannot be read (" + e + "); --tokens must be a file that this user may read", e);
            } catch (ConfigurationException e) {
                throw cannotUse(String.valueOf(e.getMessage()), e);
            }
        }
    }

    private static StartException cannotUse(String message, Exception e) {
        return new StartException(StartException.Cause.CONFIGURATION, message, e);
    }

    /** Returns whether there are no tokens, so that no request can present a valid one. */
    boolean isEmpty() {
        return entries.isEmpty();
    }

    public boolean hasFile() {
        return file != null;
    }

    /** Returns an object that identifies the current set of tokens; another one once they have changed. */
    Object version() {
        return entries;
    }

    /** Returns the token with this value; null if there is none. */
    @Nullable
    AccessToken find(String presented) {
        String digest = sha256(presented);
        AccessToken found = null;
        for (AccessToken entry : entries) {
            if (isEqual(entry.sha256(), digest)) {
                found = entry;
            }
        }
        return found;
    }

    /** Returns a check whether the token is still valid with the same role, each time it is called. Not thread-safe. */
    BooleanSupplier validity(AccessToken token) {
        return new BooleanSupplier() {
            private List<AccessToken> known = List.of();

            @Override
            public boolean getAsBoolean() {
                List<AccessToken> now = entries;
                if (now != known && now.stream().noneMatch(entry -> isSame(entry, token))) {
                    return false;
                }
                known = now;
                return true;
            }
        };
    }

    private static boolean isSame(AccessToken one, AccessToken other) {
        return one.role() == other.role() && isEqual(one.sha256(), other.sha256());
    }

    /** Reads the file if it has changed and was the same at the last two calls. Blocks. */
    public synchronized void look() {
        if (file == null) {
            return;
        }
        try {
            byte[] content = content(file);
            isMissing = false;
            if (Arrays.equals(content, known)) {
                seen = null;
            } else if (!Arrays.equals(content, seen)) {
                seen = content;
            } else {
                known = content;
                seen = null;
                entries = read(file, content);
                LOG.log(Level.INFO, "loaded the tokens of " + file + "; valid tokens: " + entries.size());
            }
        } catch (IOException e) {
            if (!isMissing) {
                isMissing = true;
                LOG.log(Level.WARNING, file + " cannot be read (" + e + "); the tokens are unchanged");
            }
        } catch (ConfigurationException e) {
            LOG.log(Level.WARNING, "the tokens are unchanged because the file has faults: " + e.getMessage());
        }
    }

    private static byte[] content(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(MOST_BYTES);
        }
    }

    private List<AccessToken> read(Path path, byte[] content) {
        List<AccessToken> read = new ArrayList<>();
        if (admin != null) {
            read.add(admin);
        }
        for (AccessToken token : new AccessTokenReader().read(path.toString(), content)) {
            if (admin != null && (token.name().equals(ADMIN) || isEqual(token.sha256(), admin.sha256()))) {
                LOG.log(
                        Level.WARNING,
                        "the token '" + token.name() + "' of " + path + " is ignored: --admin-token is the token named "
                                + ADMIN + ", and there is one");
            } else {
                read.add(token);
            }
        }
        return List.copyOf(read);
    }
}

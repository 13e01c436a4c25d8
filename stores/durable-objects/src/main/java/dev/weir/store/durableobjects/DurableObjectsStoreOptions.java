package dev.weir.store.durableobjects;

import dev.weir.DurationText;
import dev.weir.spi.StoreUri;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of the worker and the options of the store. Immutable.
 *
 * @param tls whether connections are encrypted and the worker's name is verified
 * @param host a name or an address; an IPv6 address is in brackets
 * @param authority the certificate of a private authority, in PEM; null for the authorities that Java trusts
 * @param token the worker's secret {@code WEIR_TOKEN}
 * @param prefix the prefix of every key, 1 to 64 letters, digits and {@code . _ - :}
 * @param timeout the timeout of one call, a millisecond to a minute; a call that timed out may have been decided
 */
public record DurableObjectsStoreOptions(
        boolean tls, String host, int port, @Nullable Path authority, Token token, String prefix, Duration timeout) {

    /**
     * The default timeout of a call: one second. A round trip takes tens of milliseconds, but an idle object must be
     * started first, which takes some hundreds.
     */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(1);

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._:-]{1,64}");
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}\\]");

    /** The secret that the worker requires. {@link #toString()} does not show it. */
    public record Token(String secret) {
        private static final Pattern VISIBLE = Pattern.compile("[!-~]{1,512}");

        public Token {
            if (!VISIBLE.matcher(secret).matches()) {
                throw new IllegalArgumentException(
                        "token must have 1 to 512 visible ASCII characters; it is the worker's secret WEIR_TOKEN");
            }
        }

        @Override
        public String toString() {
            return "Token[…]";
        }
    }

    public DurableObjectsStoreOptions {
        if (!HOST.matcher(host).matches()) {
            throw new IllegalArgumentException("the host is '" + StoreUri.shown(host)
                    + "'; it must be the worker's name, such as weir.example.workers.dev");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("the port is " + port + "; it must be 1 to 65535");
        }
        if (authority != null && !tls) {
            throw new IllegalArgumentException(
                    "ca is given, but durable-objects+http:// is not encrypted; use durable-objects+https://");
        }
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "prefix is '" + StoreUri.shown(prefix) + "'; it must have 1 to 64 letters, digits or . _ - :");
        }
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException(
                    "timeout is " + DurationText.of(timeout) + "; it must be a millisecond to a minute");
        }
    }

    /**
     * Parses the options of a store URI.
     *
     * @throws IllegalArgumentException if the URI is invalid; the message does not contain it, as it holds the token
     */
    public static DurableObjectsStoreOptions parse(String uri) {
        return DurableObjectsUriParser.parse(uri);
    }

    /** A copy with another prefix. */
    public DurableObjectsStoreOptions withPrefix(String value) {
        return new DurableObjectsStoreOptions(tls, host, port, authority, token, value, timeout);
    }

    /** A copy with another timeout. */
    public DurableObjectsStoreOptions withTimeout(Duration value) {
        return new DurableObjectsStoreOptions(tls, host, port, authority, token, prefix, value);
    }
}

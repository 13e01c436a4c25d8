package dev.weir.store.durableobjects;

import dev.weir.spi.StoreUri;
import dev.weir.store.durableobjects.DurableObjectsStoreOptions.Token;
import java.nio.file.Path;
import java.util.List;

/**
 * Parses {@code durable-objects+https://HOST[:PORT]?token=…[&OPTIONS]}.
 *
 * <p>Messages never contain the token or any text that may be part of it.
 */
final class DurableObjectsUriParser {
    private static final List<String> OPTIONS = List.of("token", "prefix", "timeout", "ca");
    private static final String PLAIN = "durable-objects+http";
    private static final String ENCRYPTED = "durable-objects+https";

    private DurableObjectsUriParser() {}

    static DurableObjectsStoreOptions parse(String uri) {
        StoreUri parsed = StoreUri.parse(uri, "Durable Objects", OPTIONS);
        boolean tls = parsed.scheme().equals(ENCRYPTED);
        if (!tls && !parsed.scheme().equals(PLAIN)) {
            throw new IllegalArgumentException(
                    "the store's URI must begin with durable-objects+https:// or durable-objects+http://");
        }
        String secret = parsed.option("token");
        if (secret == null) {
            throw new IllegalArgumentException(
                    "the store's URI has no token; add ?token=… with the worker's secret WEIR_TOKEN");
        }
        String authority = parsed.option("ca");
        String place = place(parsed);
        int colon = place.indexOf(':', Math.max(0, place.lastIndexOf(']')));
        return new DurableObjectsStoreOptions(
                tls,
                colon < 0 ? place : place.substring(0, colon),
                colon < 0 ? (tls ? 443 : 80) : port(place.substring(colon + 1)),
                authority == null ? null : Path.of(authority),
                new Token(secret),
                parsed.option("prefix", "weir"),
                parsed.duration("timeout", DurableObjectsStoreOptions.DEFAULT_TIMEOUT));
    }

    private static String place(StoreUri parsed) {
        if (parsed.userInfo() != null) {
            throw new IllegalArgumentException(
                    "the store's URI has a user or password before its host; write the token as the option token");
        }
        if (!parsed.path().isEmpty()) {
            throw new IllegalArgumentException("the store's URI has a path; it must name the worker's host only");
        }
        return parsed.authority();
    }

    private static int port(String text) {
        if (!text.matches("\\d{1,5}")) {
            throw new IllegalArgumentException("the port of the store's URI must be a number of 1 to 65535");
        }
        return Integer.parseInt(text);
    }
}

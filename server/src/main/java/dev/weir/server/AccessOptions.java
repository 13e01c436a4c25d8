package dev.weir.server;

import dev.weir.server.http.AllowedHosts;
import dev.weir.server.http.AllowedOrigins;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which clients may use a server.
 *
 * @param tokens a YAML file of tokens, read again when it changes; null for none
 * @param requireToken whether the data API needs a token
 * @param corsOrigins the origins whose pages may use the API: {@code https://shop.example}
 * @param allowedHosts host names that clients may use in addition to the server's own
 */
public record AccessOptions(
        @Nullable Path tokens, boolean requireToken, List<String> corsOrigins, List<String> allowedHosts) {

    public AccessOptions {
        corsOrigins = corsOrigins.stream().map(AllowedOrigins::parse).toList();
        allowedHosts = allowedHosts.stream().map(AllowedHosts::parse).toList();
    }

    /** Returns options with a data API that is open to all clients except web pages of other origins. */
    public static AccessOptions open() {
        return new AccessOptions(null, false, List.of(), List.of());
    }
}

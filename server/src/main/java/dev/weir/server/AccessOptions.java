package dev.weir.server;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who may use a server.
 *
 * @param tokens a YAML file of tokens, read again when it changes; null for none
 * @param requireToken whether the data API needs a token
 * @param corsOrigins the origins whose pages may use the API: {@code https://shop.example}
 * @param allowedHosts names that clients may call the server by, beside its own
 */
public record AccessOptions(
        @Nullable Path tokens, boolean requireToken, List<String> corsOrigins, List<String> allowedHosts) {

    public AccessOptions {
        corsOrigins = corsOrigins.stream().map(AllowedOrigins::parse).toList();
        allowedHosts = allowedHosts.stream().map(AllowedHosts::parse).toList();
    }

    /** The data API is open to every client that is no web page of another origin. */
    public static AccessOptions open() {
        return new AccessOptions(null, false, List.of(), List.of());
    }
}

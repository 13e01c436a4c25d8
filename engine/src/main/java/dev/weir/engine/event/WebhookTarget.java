package dev.weir.engine.event;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * The URL of a webhook. Paths and queries of webhooks are often secrets, so {@link #toString()} contains only scheme,
 * host and port.
 *
 * @param tls whether the scheme is {@code https}
 * @param host a name or an address, IPv6 without brackets
 * @param path the path and query as they are sent
 */
public record WebhookTarget(boolean tls, String host, int port, String path) {

    /**
     * Parses a URL.
     *
     * @throws IllegalArgumentException if it is not an {@code http} or {@code https} URL, or contains a name and
     *     password
     */
    public static WebhookTarget parse(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            // Without the text and the cause, which repeat the URL.
            throw new IllegalArgumentException("the webhook is not a URL (at character " + (e.getIndex() + 1)
                    + "); write https://host/path, with everything unusual percent-encoded");
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw new IllegalArgumentException("the webhook's scheme is '" + scheme + "'; it must be http or https");
        }
        if (uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "the webhook's URL has a user name; it is not sent, so sign with a secret instead");
        }
        String host = uri.getHost();
        if (host == null || host.isEmpty() || host.indexOf('%') >= 0) {
            throw new IllegalArgumentException("the webhook's URL has no valid host; write https://host/path");
        }
        boolean tls = scheme.equals("https");
        int port = uri.getPort() >= 0 ? uri.getPort() : tls ? 443 : 80;
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("the webhook's port is " + port + "; it must be 1 to 65535");
        }
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return new WebhookTarget(tls, bare, port, pathOf(uri));
    }

    /** The value of the Host header. */
    String authority() {
        String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == (tls ? 443 : 80) ? name : name + ":" + port;
    }

    private static String pathOf(URI uri) {
        URI ascii = URI.create(uri.toASCIIString());
        String path = ascii.getRawPath() == null || ascii.getRawPath().isEmpty() ? "/" : ascii.getRawPath();
        return ascii.getRawQuery() == null ? path : path + "?" + ascii.getRawQuery();
    }

    @Override
    public String toString() {
        return (tls ? "https://" : "http://") + authority();
    }
}

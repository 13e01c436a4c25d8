package dev.weir.store.cluster;

import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;

/** Certificates for tests: {@code node} and {@code renewed} are of one authority, {@code stranger} of another. */
final class Certificates {
    private Certificates() {}

    static Path file(String name) {
        return Path.of(URI.create(Objects.requireNonNull(Certificates.class.getResource("/certificates/" + name))
                .toString()));
    }

    /** The options of a node's URI. */
    static String options(String name) {
        return options(
                file(name + ".pem"), file(name + ".key"), file(name.equals("stranger") ? "other-ca.pem" : "ca.pem"));
    }

    static String options(Path certificate, Path key, Path authority) {
        return "&tls-cert=" + certificate + "&tls-key=" + key + "&tls-ca=" + authority;
    }
}

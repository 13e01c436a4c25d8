package dev.weir.server;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of a server, apart from its limits' configuration.
 *
 * @param source where the configuration comes from
 * @param store replaces the store that the configuration names; null to use that one
 * @param host the address to listen on
 * @param port 0 for any free port
 * @param adminToken the token named {@code admin}, which may do everything; null for none
 * @param access which other clients may use the server, and from where
 * @param data directory for the memory store's settings; null keeps them only as long as the process runs
 * @param tls null for plain HTTP
 * @param limits bounds on the server's own resources
 * @param drainDelay how long the server still accepts requests after it reports that it is not ready
 * @param name what operators call this server, shown on the dashboard; null for none
 * @param grpc the gRPC listener; null for none
 * @param envoy where the limits of Envoy's rate limit service come from; null for the configuration's own
 */
public record ServerOptions(
        ConfigurationSource source,
        @Nullable String store,
        String host,
        int port,
        @Nullable String adminToken,
        AccessOptions access,
        @Nullable Path data,
        @Nullable Tls tls,
        ServerLimits limits,
        Duration drainDelay,
        @Nullable String name,
        @Nullable GrpcOptions grpc,
        @Nullable EnvoyOptions envoy) {

    private static final int SHORTEST_TOKEN = 8;
    private static final int LONGEST_NAME = 60;

    /** PEM files of a certificate chain and its private key. */
    public record Tls(Path certificate, Path key) {}

    public ServerOptions {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port is " + port + "; it must be 0 to 65535");
        }
        if (adminToken != null && adminToken.length() < SHORTEST_TOKEN) {
            throw new IllegalArgumentException("the admin token has " + adminToken.length()
                    + " characters; it must have at least " + SHORTEST_TOKEN);
        }
        if (name != null && (name.isBlank() || name.length() > LONGEST_NAME)) {
            throw new IllegalArgumentException("the name of the server has " + name.length()
                    + " characters; it must have 1 to " + LONGEST_NAME + " and may not be blank");
        }
    }

    /** Returns options for a free port of the loopback interface, without an admin API. */
    public static ServerOptions of(ConfigurationSource source) {
        return new ServerOptions(
                source,
                null,
                "127.0.0.1",
                0,
                null,
                AccessOptions.open(),
                null,
                null,
                ServerLimits.defaults(),
                Duration.ofSeconds(1),
                null,
                null,
                null);
    }

    public ServerOptions withStore(@Nullable String newStore) {
        return new ServerOptions(
                source, newStore, host, port, adminToken, access, data, tls, limits, drainDelay, name, grpc, envoy);
    }

    public ServerOptions withAddress(String newHost, int newPort) {
        return new ServerOptions(
                source, store, newHost, newPort, adminToken, access, data, tls, limits, drainDelay, name, grpc, envoy);
    }

    public ServerOptions withAdminToken(@Nullable String newToken) {
        return new ServerOptions(
                source, store, host, port, newToken, access, data, tls, limits, drainDelay, name, grpc, envoy);
    }

    public ServerOptions withAccess(AccessOptions newAccess) {
        return new ServerOptions(
                source, store, host, port, adminToken, newAccess, data, tls, limits, drainDelay, name, grpc, envoy);
    }

    public ServerOptions withData(@Nullable Path newData) {
        return new ServerOptions(
                source, store, host, port, adminToken, access, newData, tls, limits, drainDelay, name, grpc, envoy);
    }

    /** Sets TLS. Limits that were not set explicitly become those for TLS. */
    public ServerOptions withTls(@Nullable Tls newTls) {
        boolean isChosen = newTls == null || !limits.equals(ServerLimits.defaults());
        ServerLimits newLimits = isChosen ? limits : ServerLimits.defaultsWithTls();
        return new ServerOptions(
                source, store, host, port, adminToken, access, data, newTls, newLimits, drainDelay, name, grpc, envoy);
    }

    public ServerOptions withLimits(ServerLimits newLimits) {
        return new ServerOptions(
                source, store, host, port, adminToken, access, data, tls, newLimits, drainDelay, name, grpc, envoy);
    }

    public ServerOptions withDrainDelay(Duration newDelay) {
        return new ServerOptions(
                source, store, host, port, adminToken, access, data, tls, limits, newDelay, name, grpc, envoy);
    }

    public ServerOptions withName(@Nullable String newName) {
        return new ServerOptions(
                source, store, host, port, adminToken, access, data, tls, limits, drainDelay, newName, grpc, envoy);
    }

    public ServerOptions withGrpc(@Nullable GrpcOptions newGrpc) {
        return new ServerOptions(
                source, store, host, port, adminToken, access, data, tls, limits, drainDelay, name, newGrpc, envoy);
    }

    public ServerOptions withEnvoy(@Nullable EnvoyOptions newEnvoy) {
        return new ServerOptions(
                source, store, host, port, adminToken, access, data, tls, limits, drainDelay, name, grpc, newEnvoy);
    }

    /** Contains no secrets. */
    @Override
    public String toString() {
        return "ServerOptions[" + source.name() + ", " + host + ":" + port + "]";
    }
}

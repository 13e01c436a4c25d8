package dev.weir.server;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of the gRPC listener, which serves Envoy's rate limit service.
 *
 * @param port 0 for any free port
 * @param mayBeTaken whether the server starts without gRPC, with a warning, if the port is taken
 * @param tls null to use the server's, or plain text if that has none
 * @param clientAuthorities a PEM file of certificate authorities, one of which must have signed every client's
 *     certificate; null for clients without one
 * @param maxConnectionAge how long a connection may stay, give or take a tenth; then its client connects again
 * @param maxConnectionAgeGrace how long calls in flight may take after that
 */
public record GrpcOptions(
        int port,
        boolean mayBeTaken,
        ServerOptions.@Nullable Tls tls,
        @Nullable Path clientAuthorities,
        Duration maxConnectionAge,
        Duration maxConnectionAgeGrace) {

    /** The defaults of Envoy's own service. */
    public static final Duration MAX_CONNECTION_AGE = Duration.ofHours(24);

    public static final Duration MAX_CONNECTION_AGE_GRACE = Duration.ofHours(1);

    /** Longer durations do not fit into the nanoseconds that gRPC counts them in. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    public GrpcOptions {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("grpc-port is " + port + "; it must be 0 to 65535");
        }
        if (maxConnectionAge.isZero() || maxConnectionAge.isNegative() || maxConnectionAge.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "grpc-max-connection-age must be longer than 0 and at most " + LONGEST.toDays() + "d");
        }
        if (maxConnectionAgeGrace.isNegative() || maxConnectionAgeGrace.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "grpc-max-connection-age-grace must not be negative and at most " + LONGEST.toDays() + "d");
        }
    }

    /** Returns options for a port, with the TLS of the server. */
    public static GrpcOptions of(int port) {
        return new GrpcOptions(port, false, null, null, MAX_CONNECTION_AGE, MAX_CONNECTION_AGE_GRACE);
    }

    public GrpcOptions ifFree() {
        return new GrpcOptions(port, true, tls, clientAuthorities, maxConnectionAge, maxConnectionAgeGrace);
    }

    public GrpcOptions withTls(ServerOptions.@Nullable Tls newTls, @Nullable Path newAuthorities) {
        return new GrpcOptions(port, mayBeTaken, newTls, newAuthorities, maxConnectionAge, maxConnectionAgeGrace);
    }

    public GrpcOptions withMaxConnectionAge(Duration newAge, Duration newGrace) {
        return new GrpcOptions(port, mayBeTaken, tls, clientAuthorities, newAge, newGrace);
    }
}

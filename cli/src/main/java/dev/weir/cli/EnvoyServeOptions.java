package dev.weir.cli;

import dev.weir.engine.config.Durations;
import dev.weir.server.EnvoyOptions;
import dev.weir.server.GrpcOptions;
import dev.weir.server.ServerOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options of {@code serve} for Envoy's rate limit service. Where Envoy's files are served, the environment
 * variables of Envoy's own service set what the options do not.
 */
final class EnvoyServeOptions {
    @Option(
            names = "--grpc-port",
            description = "The port of Envoy's rate limit service (gRPC); 0 for any free one (default:"
                    + " ${DEFAULT-VALUE}, unless it is taken).",
            defaultValue = "8081")
    private int grpcPort;

    @Option(
            names = "--grpc-tls-cert",
            paramLabel = "FILE",
            description = "Serve gRPC with this certificate chain (PEM), instead of --tls-cert; needs --grpc-tls-key.")
    private @Nullable Path certificate;

    @Option(
            names = "--grpc-tls-key",
            paramLabel = "FILE",
            description = "The certificate's key (PEM, PKCS #8); needs --grpc-tls-cert.")
    private @Nullable Path key;

    @Option(
            names = "--grpc-client-ca",
            paramLabel = "FILE",
            description = "Require a certificate of gRPC clients that one of these authorities has signed (PEM).")
    private @Nullable Path clientAuthorities;

    @Option(
            names = "--grpc-max-connection-age",
            paramLabel = "DURATION",
            description = "Close gRPC connections after this time, give or take a tenth (default: 24h).")
    private @Nullable String maxConnectionAge;

    @Option(
            names = "--grpc-max-connection-age-grace",
            paramLabel = "DURATION",
            description = "How long calls may take after that (default: 1h).")
    private @Nullable String maxConnectionAgeGrace;

    @Option(
            names = "--envoy-config",
            paramLabel = "PATH",
            description =
                    "The limits of Envoy's rate limit service: a file, or a directory of files, in its own format.")
    private @Nullable Path configuration;

    @Option(
            names = "--envoy-compat",
            paramLabel = "strict",
            description = "Count each descriptor by itself, as Envoy's own service does, instead of all or nothing.")
    private @Nullable Compatibility compatibility;

    /** How closely requests are counted as by Envoy's own service. */
    enum Compatibility {
        STRICT
    }

    /** The variables of Envoy's own service, as far as they apply; {@link #resolve} sets it. */
    private EnvoyEnvironment environment = EnvoyEnvironment.NONE;

    private boolean isPortChosen;

    /**
     * Decides which variables of the environment apply: none unless Envoy's files are served.
     *
     * @param isSet whether an option is typed or set by its own variable
     * @return those variables
     */
    EnvoyEnvironment resolve(Predicate<String> isSet) {
        EnvoyEnvironment all = EnvoyEnvironment.ofProcess();
        if (configuration == null && !isSet.test("--config") && !isSet.test("--preset")) {
            configuration = all.configuration();
        }
        environment = configuration == null ? EnvoyEnvironment.NONE : all;
        isPortChosen = isSet.test("--grpc-port");
        Integer port = isPortChosen ? null : environment.port("GRPC_PORT");
        if (port != null) {
            grpcPort = port;
            isPortChosen = true;
        }
        return environment;
    }

    boolean servesEnvoyFiles() {
        return configuration != null;
    }

    @Nullable
    EnvoyOptions envoy() {
        if (configuration == null) {
            if (compatibility != null) {
                throw new IllegalArgumentException("--envoy-compat needs --envoy-config");
            }
            return null;
        }
        return new EnvoyOptions(configuration, compatibility == Compatibility.STRICT);
    }

    GrpcOptions grpc() {
        GrpcOptions options = GrpcOptions.of(grpcPort)
                .withTls(tls(), clientAuthorities == null ? environment.clientAuthorities() : clientAuthorities)
                .withMaxConnectionAge(
                        duration(
                                "--grpc-max-connection-age",
                                maxConnectionAge,
                                "GRPC_MAX_CONNECTION_AGE",
                                GrpcOptions.MAX_CONNECTION_AGE),
                        duration(
                                "--grpc-max-connection-age-grace",
                                maxConnectionAgeGrace,
                                "GRPC_MAX_CONNECTION_AGE_GRACE",
                                GrpcOptions.MAX_CONNECTION_AGE_GRACE));
        return isPortChosen ? options : options.ifFree();
    }

    private ServerOptions.@Nullable Tls tls() {
        if (certificate == null && key == null) {
            return environment.tls();
        }
        if (certificate == null || key == null) {
            throw new IllegalArgumentException(
                    certificate == null
                            ? "--grpc-tls-key needs --grpc-tls-cert"
                            : "--grpc-tls-cert needs --grpc-tls-key");
        }
        return new ServerOptions.Tls(certificate, key);
    }

    private Duration duration(String option, @Nullable String given, String variable, Duration usual) {
        String alias = given == null ? environment.text(variable) : null;
        String text = given == null ? alias : given;
        if (text == null) {
            return usual;
        }
        try {
            return Durations.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    (alias == null ? option : variable) + " is '" + text + "'; it must be a duration "
                            + Durations.EXAMPLES,
                    e);
        }
    }
}

package dev.weir.cli;

import dev.weir.cli.terminal.Terminal;
import dev.weir.server.AccessOptions;
import dev.weir.server.ConfigurationSource;
import dev.weir.server.Logs;
import dev.weir.server.ServerLimits;
import dev.weir.server.ServerOptions;
import dev.weir.server.WeirServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that runs the server. */
@Command(
        name = "serve",
        description = "Run the server: checks over HTTP and WebSocket, and Envoy's rate limit service over gRPC.",
        footer = {
            "",
            "Every option can also be set in the environment: --admin-token by WEIR_ADMIN_TOKEN.",
            "Repeatable options take several values, separated by commas: WEIR_CORS_ORIGIN.",
            "Without --config and --preset, weir.yaml is used if it exists, else the preset agent-hub.",
            "A changed configuration file is reloaded automatically, or at once on SIGHUP.",
            "With --envoy-config, or RUNTIME_ROOT instead of it, the variables of Envoy's own service set what options do"
                    + " not: PORT, GRPC_PORT, REDIS_URL, REDIS_AUTH, LOG_LEVEL, GRPC_MAX_CONNECTION_AGE.",
            "Examples: weir serve --preset agent-hub",
            "          weir serve --config weir.yaml --store redis://localhost:6379 --admin-token-file token",
            "          weir serve --envoy-config /data/ratelimit/config --store redis://localhost:6379",
            "Exit codes: 0 stopped; 1 the configuration cannot be used; 2 the store cannot be reached;"
                    + " 3 the port is taken."
        },
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class ServeCommand implements Callable<Integer> {
    private static final Logger LOG = System.getLogger(ServeCommand.class.getName());
    private static final Path USUAL_FILE = Path.of("weir.yaml");
    private static final String USUAL_PRESET = "agent-hub";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private EnvoyServeOptions envoy = new EnvoyServeOptions();

    @Option(names = "--config", paramLabel = "FILE", description = "The configuration, a YAML file.")
    private @Nullable Path config;

    @Option(names = "--preset", paramLabel = "NAME", description = "A built-in configuration, instead of --config.")
    private @Nullable String preset;

    @Option(
            names = "--store",
            paramLabel = "URI",
            description = "The store, instead of the one in the configuration: memory, redis://..., cluster://..., "
                    + "jdbc:sqlite:FILE, jdbc:postgresql:..., durable-objects+https://...")
    private @Nullable String store;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "The address to listen on (default: ${DEFAULT-VALUE}, this machine only).",
            defaultValue = "127.0.0.1")
    private String host = "127.0.0.1";

    @Option(
            names = "--port",
            description = "The port; 0 for any free one (default: ${DEFAULT-VALUE}).",
            defaultValue = "8080")
    private int port;

    @Option(
            names = "--admin-token",
            paramLabel = "TOKEN",
            description = "The token named admin, which may do everything. Shows in the list of processes: better"
                    + " --admin-token-file, or WEIR_ADMIN_TOKEN.")
    private @Nullable String adminToken;

    @Option(
            names = "--admin-token-file",
            paramLabel = "FILE",
            description = "A file whose first line is the admin token.")
    private @Nullable Path adminTokenFile;

    @Option(
            names = "--tokens",
            paramLabel = "FILE",
            description = "More tokens: a YAML list of name, role (decide, read, operate or admin) and sha256."
                    + " A changed file is reloaded automatically.")
    private @Nullable Path tokens;

    @Option(
            names = "--require-token",
            description = "Require a token of the role decide for every check.",
            defaultValue = "false")
    private boolean requireToken;

    @Option(
            names = "--cors-origin",
            paramLabel = "ORIGIN",
            split = ",",
            description = "Let pages of this origin use the API, such as https://shop.example; may be repeated."
                    + " Pages of other origins are refused.")
    private List<String> corsOrigins = List.of();

    @Option(
            names = "--allowed-host",
            paramLabel = "NAME",
            split = ",",
            description = "Also accept requests for this host name; may be repeated. On a loopback address others than"
                    + " localhost are refused by default.")
    private List<String> allowedHosts = List.of();

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The directory for the memory store's settings (default: ${DEFAULT-VALUE}).",
            defaultValue = "weir-data")
    private Path data = Path.of("weir-data");

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "What operators call this server; the dashboard shows it.")
    private @Nullable String name;

    @Option(
            names = "--max-connections",
            paramLabel = "NUMBER",
            description = "The maximum number of connections (default: as many as fit in the heap, at most 20000).")
    private @Nullable Integer maxConnections;

    @Option(
            names = "--max-connections-per-address",
            paramLabel = "NUMBER",
            description = "The maximum from one address that is not a trusted proxy (default: a quarter).")
    private @Nullable Integer maxConnectionsPerAddress;

    @Option(
            names = "--log-format",
            paramLabel = "text|json",
            description = "The format of log lines (default: ${DEFAULT-VALUE}).",
            defaultValue = "text")
    private Logs.Format logFormat = Logs.Format.TEXT;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "Serve HTTPS with this certificate chain (PEM); needs --tls-key.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The certificate's key (PEM); needs --tls-cert.")
    private @Nullable Path key;

    @Override
    public Integer call() {
        ServerOptions options;
        try {
            EnvoyEnvironment environment = envoy.resolve(this::isSet);
            Level level = environment.logLevel();
            Logs.use(logFormat, level == null ? Level.INFO : level);
            environment.ignored().forEach(message -> LOG.log(Level.WARNING, message));
            Integer otherPort = isSet("--port") ? null : environment.port("PORT");
            options = ServerOptions.of(source())
                    .withStore(store == null ? environment.store() : store)
                    .withAddress(host, otherPort == null ? port : otherPort)
                    .withGrpc(envoy.grpc())
                    .withEnvoy(envoy.envoy())
                    .withAdminToken(adminToken())
                    .withAccess(new AccessOptions(tokens, requireToken, corsOrigins, allowedHosts))
                    .withData(data)
                    .withTls(tls())
                    .withLimits(limits())
                    .withName(name);
        } catch (IllegalArgumentException e) {
            spec.commandLine().getErr().println("weir: " + e.getMessage());
            return spec.exitCodeOnExecutionException();
        }
        Terminal terminal = Main.terminal(spec);
        return ServerRun.until(options, spec.commandLine(), Duration.ZERO, server -> {
            String grpcAddress = server.grpcAddress();
            if (grpcAddress != null) {
                spec.commandLine().getOut().println("weir serves Envoy's rate limit service on " + grpcAddress);
                spec.commandLine().getOut().flush();
            }
            if (terminal.isOutput()) {
                card(server, options)
                        .lines(terminal.style())
                        .forEach(spec.commandLine().getOut()::println);
                spec.commandLine().getOut().flush();
            }
        });
    }

    private StartCard card(WeirServer server, ServerOptions options) {
        boolean hasAdmin = adminToken != null || adminTokenFile != null || tokens != null;
        return new StartCard(
                server.url(), options.source().name(), server.weir().configuration(), hasAdmin);
    }

    /** Returns the token of the file, or else of the option; a typed option takes precedence over the environment. */
    private @Nullable String adminToken() {
        if (isTyped("--admin-token")) {
            LOG.log(
                    Level.WARNING,
                    "--admin-token shows in the list of processes; better --admin-token-file FILE, or WEIR_ADMIN_TOKEN");
            if (isTyped("--admin-token-file")) {
                throw new ParameterException(
                        spec.commandLine(), "--admin-token and --admin-token-file exclude each other; give one");
            }
            return adminToken;
        }
        if (adminTokenFile == null) {
            return adminToken;
        }
        try (Stream<String> lines = Files.lines(adminTokenFile)) {
            return lines.findFirst().map(String::trim).orElse("");
        } catch (IOException | UncheckedIOException e) {
            throw new IllegalArgumentException(
                    "--admin-token-file " + adminTokenFile + " cannot be read (" + e + "); it must be a text file that"
                            + " this user may read",
                    e);
        }
    }

    private ServerLimits limits() {
        ServerLimits limits = certificate == null ? ServerLimits.defaults() : ServerLimits.defaultsWithTls();
        if (maxConnections != null) {
            limits = limits.withConnections(maxConnections).withConnectionsPerAddress(Math.max(1, maxConnections / 4));
        }
        return maxConnectionsPerAddress == null ? limits : limits.withConnectionsPerAddress(maxConnectionsPerAddress);
    }

    private ServerOptions.@Nullable Tls tls() {
        if (certificate == null || key == null) {
            if (certificate != null || key != null) {
                throw new ParameterException(
                        spec.commandLine(),
                        certificate == null ? "--tls-key needs --tls-cert" : "--tls-cert needs --tls-key");
            }
            return null;
        }
        return new ServerOptions.Tls(certificate, key);
    }

    private ConfigurationSource source() {
        if (config != null && preset != null && isTyped("--config") == isTyped("--preset")) {
            throw new ParameterException(spec.commandLine(), "--config and --preset exclude each other; give one");
        }
        if (config != null && (preset == null || isTyped("--config"))) {
            return ConfigurationSource.file(config);
        }
        if (preset == null && envoy.servesEnvoyFiles()) {
            return ConfigurationSource.text("--envoy-config", "version: 1\nlimits: []\n");
        }
        if (preset == null && Files.exists(USUAL_FILE)) {
            return ConfigurationSource.file(USUAL_FILE);
        }
        return ConfigurationSource.preset(preset == null ? USUAL_PRESET : preset);
    }

    /** Returns whether an option was typed, or set by its own variable of the environment. */
    private boolean isSet(String option) {
        String value = System.getenv(EnvironmentDefaults.variable(option));
        return isTyped(option) || (value != null && !value.isEmpty());
    }

    /** Returns whether an option was typed; the environment has lower precedence. */
    private boolean isTyped(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }
}

package dev.weir.server;

import dev.weir.StoreException;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.Fault;
import dev.weir.server.envoy.EnvoyService;
import dev.weir.server.envoy.ReplyOptions;
import dev.weir.server.http.Access;
import dev.weir.server.http.ConnectionCap;
import dev.weir.server.http.EventStreamCap;
import dev.weir.server.http.FatalErrors;
import dev.weir.server.http.ServerIdentity;
import dev.weir.server.http.ServerState;
import dev.weir.server.netty.WatchedTransport;
import dev.weir.server.rls.RateLimitServer;
import dev.weir.spi.settings.SettingsException;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The Weir server: an engine behind HTTP, WebSocket and gRPC.
 *
 * <p>{@link #start} returns when the server accepts connections. {@link #close} drains within 20 seconds. First
 * readiness goes down, then new connections are refused, responses in flight finish, and WebSockets are closed with a
 * reason.
 */
public final class WeirServer implements AutoCloseable {
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());
    private static final Duration START_TIME = Duration.ofSeconds(30);
    /** How long requests in flight may take when the server closes. */
    private static final Duration DRAIN_TIME = Duration.ofSeconds(10);
    /** How long closing may take in total. */
    private static final Duration CLOSE_TIME = Duration.ofSeconds(15);
    /** The store of Envoy's limits, unless the options name one. */
    private static final String DEFAULT_STORE = "memory";

    private final ServerOptions options;
    private final ServerState node;
    private final Services services;
    private final int port;
    private final EnvoyService envoy;
    private final @Nullable RateLimitServer grpc;
    private boolean closed;

    private WeirServer(
            ServerOptions options,
            ServerState node,
            Services services,
            int port,
            EnvoyService envoy,
            @Nullable RateLimitServer grpc) {
        this.options = options;
        this.node = node;
        this.services = services;
        this.port = port;
        this.envoy = envoy;
        this.grpc = grpc;
    }

    /**
     * Starts a server and returns when it listens.
     *
     * @throws StartException if it cannot start; the message has the reason
     */
    public static WeirServer start(ServerOptions options) {
        EnvoyService.Loaded envoy = envoyFiles(options.envoy());
        Configuration configuration =
                envoy == null ? configuration(options.source()) : envoy.configuration(DEFAULT_STORE);
        ReplyOptions replies = replyOptions(options.envoy());
        return start(options, configuration, weir -> envoyService(weir, replies, envoy));
    }

    /** Starts a server with this rate limit service; a test has its own, whose clock it sets. */
    static WeirServer start(
            ServerOptions options, Configuration configuration, Function<Weir, EnvoyService> rateLimitService) {
        // Before the store is opened: a second server would otherwise find the first one's files in use.
        checkPort(options);
        Access access = new Access(options);
        try {
            return start(options, configuration, rateLimitService, access);
        } catch (StartException e) {
            access.close();
            throw e;
        }
    }

    private static WeirServer start(
            ServerOptions options,
            Configuration configuration,
            Function<Weir, EnvoyService> rateLimitService,
            Access access) {
        Weir weir = engine(configuration, options);
        EnvoyService envoy = rateLimitService.apply(weir);
        TrustedAddresses proxies = new TrustedAddresses(weir);
        ConnectionCap connectionCap = new ConnectionCap(options.limits(), proxies::contain);
        Vertx vertx = Vertx.builder()
                .with(vertxOptions())
                .withTransport(new WatchedTransport(connectionCap))
                .build();
        vertx.exceptionHandler(FatalErrors::report);
        EventStreamCap followers = new EventStreamCap(options.limits().listeners());
        ServerState node = new ServerState(
                weir, vertx, connectionCap, access, followers, ServerIdentity.of(options.name()), options.limits());
        try {
            Services services = new Services(node, options, envoy);
            DecisionTraces.begin(weir);
            Listeners listening = new Listeners(node, options, services);
            int loops = VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE / 2;
            await(
                    vertx.deployVerticle(listening::loop, new DeploymentOptions().setInstances(Math.max(1, loops))),
                    START_TIME);
            node.startCheck.run(options, listening.port(), connectionCap);
            GrpcOptions grpc = options.grpc();
            RateLimitServer rateLimits =
                    grpc == null ? null : RateLimitServer.start(node, options, grpc, envoy.decisions());
            connectionCap.started();
            return new WeirServer(options, node, services, listening.port(), envoy, rateLimits);
        } catch (ExecutionException | TimeoutException e) {
            vertx.close();
            envoy.close();
            weir.close();
            throw cannotStart(options, e);
        } catch (IllegalStateException | StartException e) {
            vertx.close();
            envoy.close();
            weir.close();
            throw e;
        }
    }

    private static EnvoyService.@Nullable Loaded envoyFiles(@Nullable EnvoyOptions options) {
        try {
            return options == null ? null : EnvoyService.load(options.configuration());
        } catch (IllegalArgumentException e) {
            throw new StartException(StartException.Cause.CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    private static ReplyOptions replyOptions(@Nullable EnvoyOptions options) {
        try {
            return options == null
                    ? ReplyOptions.ofOwnConfiguration(System.getenv())
                    : ReplyOptions.of(options.strict(), System.getenv());
        } catch (IllegalArgumentException e) {
            throw new StartException(StartException.Cause.CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    private static EnvoyService envoyService(
            Weir weir, ReplyOptions replies, EnvoyService.@Nullable Loaded envoyFiles) {
        if (envoyFiles == null) {
            return EnvoyService.byAttributes(weir, replies);
        }
        LOG.log(Level.INFO, "Envoy's limits are in force: " + envoyFiles.summary());
        return envoyFiles.serve(weir, replies, Clock.systemUTC());
    }

    /**
     * The port was free a moment ago. So with TLS, an error that is not about sockets is about the certificate files.
     */
    private static StartException cannotStart(ServerOptions options, Exception e) {
        Throwable reason = reason(e);
        ServerOptions.Tls tls = options.tls();
        if (tls == null || reason instanceof SocketException) {
            return new StartException(StartException.Cause.PORT, cannotListen(options, e), e);
        }
        return new StartException(
                StartException.Cause.CONFIGURATION,
                "cannot serve HTTPS with " + tls.certificate() + " and " + tls.key() + ": " + reason.getMessage()
                        + "; --tls-cert and --tls-key must be PEM files that this user may read",
                e);
    }

    /** Returns the port that the server listens on. */
    public int port() {
        return port;
    }

    /** Returns the server's URL: {@code http://127.0.0.1:8080}. */
    public String url() {
        String host = options.host().contains(":") ? "[" + options.host() + "]" : options.host();
        return (options.tls() == null ? "http://" : "https://") + host + ":" + port;
    }

    /** Returns the address of the gRPC listener, such as {@code 127.0.0.1:8081}; null if there is none. */
    public @Nullable String grpcAddress() {
        return grpc == null ? null : grpc.address();
    }

    /** Returns the engine of this server. */
    public Weir weir() {
        return node.weir;
    }

    /** Returns the estimated bytes that requests and responses in flight hold. */
    public long heldBytes() {
        return node.memory.held();
    }

    /** Reads the configuration file again. A file with faults changes nothing; the faults are returned. */
    public List<Fault> reload() {
        if (options.envoy() != null) {
            return envoy.reload();
        }
        return options.source().file() == null ? List.of() : node.weir.reload();
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        node.drain();
        if (grpc != null) {
            grpc.drain();
        }
        try {
            TimeUnit.NANOSECONDS.sleep(options.drainDelay().toNanos());
            services.end();
            if (grpc != null) {
                grpc.shutdown();
            }
            await(node.vertx.close(), CLOSE_TIME);
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(Level.WARNING, "some requests in flight did not finish in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (grpc != null) {
            grpc.close(DRAIN_TIME);
        }
        services.close();
        envoy.close();
        node.weir.close();
    }

    static Duration drainTime() {
        return DRAIN_TIME;
    }

    static Configuration configuration(ConfigurationSource source) {
        try {
            return source.read(new ConfigurationReader()).orThrow();
        } catch (IllegalArgumentException e) {
            throw new StartException(StartException.Cause.CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    private static void checkPort(ServerOptions options) {
        if (options.port() == 0) {
            return;
        }
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.getByName(options.host()), options.port()));
        } catch (IOException e) {
            throw new StartException(StartException.Cause.PORT, cannotListen(options, e), e);
        }
    }

    private static String cannotListen(ServerOptions options, Exception e) {
        return "cannot listen on " + options.host() + ":" + options.port() + ": "
                + reason(e).getMessage()
                + "; choose another with --port, or --port 0 for any that is free";
    }

    private static Throwable reason(Exception e) {
        return e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
    }

    private static Weir engine(Configuration configuration, ServerOptions options) {
        try {
            WeirOptions engine =
                    WeirOptions.defaults().withStore(options.store()).withData(options.data());
            Path file = options.envoy() == null ? options.source().file() : null;
            return file == null ? Weir.open(configuration, engine) : Weir.load(file, engine);
        } catch (StoreException | SettingsException e) {
            throw new StartException(StartException.Cause.STORE, String.valueOf(e.getMessage()), e);
        } catch (IllegalArgumentException e) {
            throw new StartException(StartException.Cause.CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    private static VertxOptions vertxOptions() {
        // Vert.x serves no file here, so it needs no cache directory.
        return new VertxOptions()
                .setEventLoopPoolSize(Math.max(1, VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE / 2))
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
    }

    private static void await(Future<?> future, Duration time) throws ExecutionException, TimeoutException {
        try {
            future.toCompletionStage().toCompletableFuture().get(time.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ExecutionException(e);
        }
    }
}

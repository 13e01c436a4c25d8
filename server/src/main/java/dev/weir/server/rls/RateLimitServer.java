package dev.weir.server.rls;

import dev.weir.server.GrpcOptions;
import dev.weir.server.ServerLimits;
import dev.weir.server.ServerOptions;
import dev.weir.server.StartException;
import dev.weir.server.WeirServer;
import dev.weir.server.envoy.RateLimitDecisions;
import dev.weir.server.http.ServerState;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The gRPC listener: Envoy's rate limit service, gRPC health and server reflection.
 *
 * <p>All of it runs on the event loops, because nothing in it blocks. The cap on connections is the server's own, for
 * HTTP and gRPC together. {@link #drain} reports that the server is not ready, {@link #shutdown} refuses new calls, and
 * {@link #close} waits for those in flight.
 */
public final class RateLimitServer implements AutoCloseable {
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());

    /** Larger messages are refused before they are decoded. */
    static final int MAX_MESSAGE = 256 * 1024;
    /** Calls in flight on one connection. A client waits with further ones. */
    static final int MAX_CALLS = 1_000;

    /** Bytes that a connection may send before the server has read them. */
    private static final int FLOW_CONTROL_WINDOW = 1 << 20;
    /** After this time without a byte the server probes whether the client is still there. */
    private static final Duration KEEPALIVE_TIME = Duration.ofMinutes(1);

    private static final Duration KEEPALIVE_TIMEOUT = Duration.ofSeconds(20);
    /** How often clients may probe the server. Envoy can be configured to do so every few seconds. */
    private static final Duration KEEPALIVE_PERMITTED = Duration.ofSeconds(1);
    /** A connection without a call is closed after this time; its client opens another one when it needs it. */
    private static final Duration IDLE_TIME = Duration.ofMinutes(5);

    private static final long SWEEP_MILLIS = 1000;

    /**
     * Loggers with which gRPC reports, with a stack trace, what single clients do: a message that is too large, a
     * connection that is not HTTP/2. They would fill the log. Kept here, because unused loggers lose their level.
     */
    private static final List<java.util.logging.Logger> NOISE = Stream.of(
                    "io.grpc.netty.NettyServerStream", "io.grpc.netty.NettyServerTransport.connections")
            .map(java.util.logging.Logger::getLogger)
            .toList();

    private final String host;
    private final Server server;
    private final EventLoopGroup loops;
    private final HealthService health;
    private long shutdownNanos = System.nanoTime();

    private RateLimitServer(String host, Server server, EventLoopGroup loops, HealthService health) {
        this.host = host;
        this.server = server;
        this.loops = loops;
        this.health = health;
    }

    /**
     * Starts the listener; returns null if its port is taken and it may be.
     *
     * @throws StartException if it cannot listen, or the files for TLS cannot be used
     */
    @SuppressWarnings("deprecation") // The older reflection protocol, for clients that do not know the newer one.
    public static @Nullable RateLimitServer start(
            ServerState node, ServerOptions options, GrpcOptions grpc, RateLimitDecisions decisions) {
        NOISE.forEach(logger -> logger.setLevel(java.util.logging.Level.OFF));
        ServerLimits limits = options.limits();
        GrpcConnections connections = new GrpcConnections(node, limits.bodyTime());
        HealthService health = new HealthService(node);
        CallBounds bounds = new CallBounds();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                Runtime.getRuntime().availableProcessors(),
                new DefaultThreadFactory("weir-grpc", true),
                NioIoHandler.newFactory());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(new InetSocketAddress(options.host(), grpc.port()))
                .channelFactory(() -> listeningChannel(node, connections))
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .directExecutor()
                .maxInboundMessageSize(MAX_MESSAGE)
                .maxInboundMetadataSize(limits.headerBytes())
                .maxConcurrentCallsPerConnection(MAX_CALLS)
                .flowControlWindow(FLOW_CONTROL_WINDOW)
                .handshakeTimeout(limits.bodyTime().toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTime(KEEPALIVE_TIME.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(KEEPALIVE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .permitKeepAliveTime(KEEPALIVE_PERMITTED.toMillis(), TimeUnit.MILLISECONDS)
                .permitKeepAliveWithoutCalls(true)
                .maxConnectionIdle(IDLE_TIME.toMillis(), TimeUnit.MILLISECONDS)
                .maxConnectionAge(grpc.maxConnectionAge().toMillis(), TimeUnit.MILLISECONDS)
                .maxConnectionAgeGrace(grpc.maxConnectionAgeGrace().toMillis(), TimeUnit.MILLISECONDS)
                .addTransportFilter(connections.filter())
                .addStreamTracerFactory(PartialMessage.FACTORY)
                .addService(ServerServiceDefinition.builder(RateLimitSchema.service())
                        .addMethod(RateLimitSchema.SHOULD_RATE_LIMIT, new RateLimitCalls(node, decisions))
                        .build())
                .addService(ServerInterceptors.intercept(health, bounds))
                .addService(ServerInterceptors.intercept(ProtoReflectionServiceV1.newInstance(), bounds))
                .addService(ServerInterceptors.intercept(
                        io.grpc.protobuf.services.ProtoReflectionService.newInstance(), bounds));
        try {
            SslContext tls = tls(grpc, options.tls());
            Server server =
                    (tls == null ? builder : builder.sslContext(tls)).build().start();
            node.vertx.setPeriodic(SWEEP_MILLIS, tick -> {
                connections.sweep();
                health.refresh();
            });
            return new RateLimitServer(options.host(), server, loops, health);
        } catch (IOException | StartException e) {
            Future<?> unused = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            if (e instanceof StartException known) {
                throw known;
            }
            String message = cannotListen(options.host(), grpc.port(), (IOException) e);
            if (!grpc.mayBeTaken()) {
                throw new StartException(StartException.Cause.PORT, message, e);
            }
            LOG.log(Level.WARNING, message + "; the server runs without gRPC");
            return null;
        }
    }

    /** The acceptor that gRPC adds comes last, so these handlers see each connection before it. */
    private static ServerChannel listeningChannel(ServerState node, GrpcConnections connections) {
        NioServerSocketChannel channel = new NioServerSocketChannel();
        channel.pipeline().addLast(node.connectionCap, connections);
        return channel;
    }

    private static @Nullable SslContext tls(GrpcOptions grpc, ServerOptions.@Nullable Tls ofServer) {
        ServerOptions.Tls files = grpc.tls() == null ? ofServer : grpc.tls();
        Path authorities = grpc.clientAuthorities();
        if (files == null) {
            if (authorities != null) {
                throw new StartException(
                        StartException.Cause.CONFIGURATION,
                        "--grpc-client-ca needs TLS; give --grpc-tls-cert and --grpc-tls-key",
                        null);
            }
            return null;
        }
        try {
            SslContextBuilder builder = GrpcSslContexts.forServer(
                            files.certificate().toFile(), files.key().toFile())
                    .protocols("TLSv1.3", "TLSv1.2");
            if (authorities != null) {
                builder.trustManager(authorities.toFile()).clientAuth(ClientAuth.REQUIRE);
            }
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new StartException(
                    StartException.Cause.CONFIGURATION,
                    "cannot serve gRPC with " + files.certificate() + " and " + files.key()
                            + (authorities == null ? "" : " and " + authorities) + ": " + reason(e)
                            + "; they must be PEM files that this user may read, the key in PKCS #8",
                    e);
        }
    }

    private static String cannotListen(String host, int port, IOException e) {
        return "cannot listen on " + host + ":" + port + " for gRPC: " + reason(e)
                + "; choose another with --grpc-port, or --grpc-port 0 for any that is free";
    }

    private static String reason(Exception e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    public int port() {
        return server.getPort();
    }

    /** Returns the address as clients are configured with it: {@code 127.0.0.1:8081}. */
    public String address() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
    }

    /** Reports to clients that watch that the server is not ready. It still serves calls. */
    public void drain() {
        health.refresh();
    }

    /** Stops accepting connections and calls; those in flight finish. Does not wait. */
    public void shutdown() {
        server.shutdown();
        shutdownNanos = System.nanoTime();
    }

    /** Waits for the calls in flight, at most this time since {@link #shutdown}, then cancels the rest. */
    public void close(Duration drainTime) {
        try {
            long nanos = drainTime.toNanos() - (System.nanoTime() - shutdownNanos);
            if (!server.awaitTermination(nanos, TimeUnit.NANOSECONDS)) {
                LOG.log(Level.WARNING, "some gRPC calls in flight did not finish in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    @Override
    public void close() {
        server.shutdownNow();
        Future<?> unused = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}

package dev.weir.example.hub;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The hub: agents on WebSocket, an API on HTTP and a task queue for the agents, all limited by Weir.
 *
 * <p>Everything except Weir is confined to one event loop, so no class here needs a lock. The hub is running when
 * {@link #start} returns. {@link #close} notifies the agents and lets responses in flight complete.
 */
final class Hub implements AutoCloseable {
    static final int MOST_BYTES_OF_A_FRAME = 16 * 1024;

    private static final Logger LOG = System.getLogger(Hub.class.getName());
    private static final int LONGEST_LINE = 4096;
    private static final int LARGEST_HEADERS = 8192;
    private static final int START_SECONDS = 30;
    private static final int DRAIN_SECONDS = 5;
    private static final int CLOSING_SECONDS = 2;

    private final Vertx vertx;
    private final HubOptions options;
    private final HubLimits gate;
    private final Running running;

    private Hub(Vertx vertx, HubOptions options, HubLimits gate) {
        this.vertx = vertx;
        this.options = options;
        this.gate = gate;
        this.running = new Running();
    }

    /**
     * Starts a hub. Closing the hub closes its limits, too.
     *
     * @throws IllegalStateException if it cannot listen
     */
    static Hub start(HubOptions options, HubLimits gate) {
        // Vert.x serves no files here, so it needs no cache directory.
        Vertx vertx = Vertx.vertx(new VertxOptions()
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
        Hub hub = new Hub(vertx, options, gate);
        try {
            await(vertx.deployVerticle(hub.running));
            return hub;
        } catch (ExecutionException | TimeoutException e) {
            hub.close();
            Throwable reason = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException(
                    "cannot listen on " + options.host() + ":" + options.port() + ": " + reason.getMessage(), e);
        }
    }

    int port() {
        return running.port;
    }

    /** The URL of the hub, such as {@code http://127.0.0.1:8090}. */
    String url() {
        String host = options.host().contains(":") ? "[" + options.host() + "]" : options.host();
        return "http://" + host + ":" + port();
    }

    /** The routes of its HTTP API. */
    List<HttpApi.Route> routes() {
        return running.api == null ? List.of() : running.api.routes();
    }

    @Override
    public void close() {
        try {
            await(vertx.close());
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(Level.WARNING, "some work in flight did not finish", e);
        }
        gate.close();
    }

    /** The verticle that runs on the event loop. */
    private final class Running extends VerticleBase {
        private final Set<AgentSession> sessions = new LinkedHashSet<>();
        private long connectionsSoFar;
        private volatile int port;
        private volatile @Nullable HttpApi api;
        private @Nullable HttpServer server;

        @Override
        public Future<?> start() {
            HubOptions.Timeouts timeouts = options.timeouts();
            Registry registry = new Registry();
            Agents agents = new Agents();
            TaskQueue tasks = new TaskQueue();
            Scheduler scheduler = new Scheduler(vertx, timeouts, gate, agents, tasks);
            Services services = new Services(gate, registry, agents, new Channels(), tasks, scheduler);
            AgentProtocol protocol = new AgentProtocol(vertx, services);
            ConnectionGuard connections = new ConnectionGuard(options.connections(), timeouts.request());
            HttpApi http = new HttpApi(context, services, request -> {
                connections.isWebSocket(request.connection());
                upgrade(request, protocol);
            });
            if (options.dashboardSecret() != null) {
                registry.admit("dashboard", options.dashboardSecret());
            }
            scheduler.start();
            vertx.setPeriodic(1000, tick -> connections.closeLate());
            api = http;
            server = vertx.createHttpServer(httpOptions())
                    .connectionHandler(connections::opened)
                    .requestHandler(request -> {
                        connections.gotSomewhere(request.connection());
                        http.handle(request);
                    });
            return server.listen(options.port(), options.host()).onSuccess(it -> port = it.actualPort());
        }

        /** Stops accepting connections, notifies the agents, and lets responses in flight complete. */
        @Override
        public Future<?> stop() {
            List.copyOf(sessions).forEach(session -> session.close(AgentSession.GOING_AWAY, "the hub is going away"));
            return server == null ? Future.succeededFuture() : server.shutdown(DRAIN_SECONDS, TimeUnit.SECONDS);
        }

        private void upgrade(HttpServerRequest request, AgentProtocol protocol) {
            request.toWebSocket().onSuccess(socket -> {
                connectionsSoFar++;
                open(socket, "c" + connectionsSoFar, protocol);
            });
        }

        private void open(ServerWebSocket socket, String connection, AgentProtocol protocol) {
            AgentSession session = new AgentSession(vertx, socket, connection, options.timeouts(), gate, protocol);
            sessions.add(session);
            session.open(() -> sessions.remove(session));
        }
    }

    private HttpServerOptions httpOptions() {
        // An agent gets a ping with every heartbeat. If even the ping cannot be written, the agent does not read.
        Duration unread = options.timeouts().heartbeat().plus(options.timeouts().reading());
        return new HttpServerOptions()
                .setMaxInitialLineLength(LONGEST_LINE)
                .setMaxHeaderSize(LARGEST_HEADERS)
                .setMaxWebSocketFrameSize(MOST_BYTES_OF_A_FRAME)
                .setMaxWebSocketMessageSize(MOST_BYTES_OF_A_FRAME)
                .setWebSocketClosingTimeout(CLOSING_SECONDS)
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setWriteIdleTimeout((int) unread.toMillis())
                // A few compressed bytes can expand to very many.
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setHttp2ClearTextEnabled(false);
    }

    private static void await(Future<?> future) throws ExecutionException, TimeoutException {
        try {
            future.toCompletionStage().toCompletableFuture().get(START_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ExecutionException(e);
        }
    }
}

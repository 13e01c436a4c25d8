package dev.weir.example.chat;

import dev.weir.binding.websocket.Exceeding;
import dev.weir.binding.websocket.LimitExceeded;
import dev.weir.binding.websocket.MessagePipeline;
import dev.weir.binding.websocket.VertxWebSockets;
import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A chat server. Every WebSocket at {@code /chat} is a user, named by {@code X-User} and {@code X-Tenant} (a real
 * application would authenticate). Messages go through the pipeline, with the limits of the {@code chat} preset.
 */
final class ChatServer implements AutoCloseable {
    private static final int SECONDS = 10;
    private static final int LARGEST_FRAME = 16 * 1024;

    private final Vertx vertx;
    private final HttpServer server;
    private final MessagePipeline pipeline;
    private final ConnectionLimits connections;
    private final Weir weir;

    private ChatServer(
            Vertx vertx, HttpServer server, MessagePipeline pipeline, ConnectionLimits connections, Weir weir) {
        this.vertx = vertx;
        this.server = server;
        this.pipeline = pipeline;
        this.connections = connections;
        this.weir = weir;
    }

    /**
     * Starts the server.
     *
     * @param port 0 picks a free port
     * @param weir the engine; closed with the server
     * @param exceeding what happens to a message that exceeds a limit
     * @param onLimitExceeded called for each such message
     */
    static ChatServer start(
            String host, int port, Weir weir, Exceeding exceeding, Consumer<LimitExceeded> onLimitExceeded) {
        Rooms rooms = new Rooms();
        MessagePipeline pipeline = MessagePipeline.builder(weir)
                .payloadUpTo(4096)
                .inFlightUpTo(4)
                .onExceed(exceeding)
                .onLimitExceeded(onLimitExceeded)
                .validator(ChatProtocol::faultOf)
                .to(new ChatProtocol(rooms));
        ConnectionLimits connections = new ConnectionLimits(weir);
        Vertx vertx = Vertx.vertx();
        VertxWebSockets sockets = new VertxWebSockets(vertx, pipeline, connections, ChatServer::person);
        HttpServerOptions options = new HttpServerOptions()
                .setMaxWebSocketFrameSize(LARGEST_FRAME)
                .setMaxWebSocketMessageSize(LARGEST_FRAME);
        HttpServer server = vertx.createHttpServer(options).requestHandler(request -> {
            if ("/chat".equals(request.path())) {
                sockets.handle(request);
            } else {
                request.response().setStatusCode(404).end();
            }
        });
        await(server.listen(port, host));
        return new ChatServer(vertx, server, pipeline, connections, weir);
    }

    private static Map<String, String> person(HttpServerRequest request) {
        Map<String, String> known = new HashMap<>();
        for (String name : new String[] {"User", "Tenant"}) {
            String value = request.getHeader("X-" + name);
            if (value != null && !value.isEmpty() && value.length() <= 100) {
                known.put(name.toLowerCase(Locale.ROOT), value);
            }
        }
        return known;
    }

    int port() {
        return server.actualPort();
    }

    /** The number of connections that hold a slot. */
    int connections() {
        return connections.open();
    }

    @Override
    public void close() {
        await(vertx.close());
        connections.close();
        pipeline.close();
        weir.close();
    }

    private static void await(Future<?> future) {
        try {
            future.toCompletionStage().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(String.valueOf(e.getMessage()), e);
        }
    }
}

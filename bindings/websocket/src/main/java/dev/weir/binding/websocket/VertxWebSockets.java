package dev.weir.binding.websocket;

import dev.weir.Answer;
import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import dev.weir.engine.connection.ConnectionSlot;
import dev.weir.engine.http.HttpDecision;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.ServerWebSocket;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Limits the WebSockets of a Vert.x server. A handshake beyond the limits on connections is answered with 429. Every
 * message of an open connection goes through the pipeline, on the connection's event loop. While a message waits,
 * nothing is read; nor is anything read from a client that does not read its responses. A connection with more than a
 * mebibyte of unsent messages is closed, and cut off after the server's {@code webSocketClosingTimeout}.
 *
 * <p>It ends with Vert.x, or with the verticle that created it. Vert.x may end without notifying every socket. So this
 * class deploys a verticle of its own to get the notification, and closes the connections itself.
 */
public final class VertxWebSockets implements AutoCloseable {
    private static final short GOING_AWAY = 1001;
    private static final short INVALID_DATA = 1003;
    private static final short TOO_LARGE = 1009;

    private final Vertx vertx;
    private final Weir weir;
    private final MessagePipeline pipeline;
    private final ConnectionLimits connections;
    private final Function<HttpServerRequest, Map<String, String>> attributes;
    private final Set<OpenConnection> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param attributes returns the attributes of the connecting client, such as the user; the address is added */
    public VertxWebSockets(
            Vertx vertx,
            MessagePipeline pipeline,
            ConnectionLimits connections,
            Function<HttpServerRequest, Map<String, String>> attributes) {
        this.vertx = vertx;
        this.weir = pipeline.weir;
        this.pipeline = pipeline;
        this.connections = connections;
        this.attributes = attributes;
        vertx.deployVerticle(new VertxEnd(this));
    }

    /** Handles a handshake. */
    public void handle(HttpServerRequest request) {
        Map<String, String> known = new ConcurrentHashMap<>(attributes.apply(request));
        String ip = weir.clients()
                .of(
                        request.remoteAddress().hostAddress(),
                        request.headers().getAll("Forwarded"),
                        request.headers().getAll("X-Forwarded-For"));
        Map<String, String> asking = new HashMap<>(known);
        asking.put("ip", ip);
        asking.put("channel", "ws");
        Context loop = vertx.getOrCreateContext();
        Answer<ConnectionSlot> answer = connections.admit(asking);
        if (answer.isDone()) {
            decided(request, loop, answer.now(), ip, known);
            return;
        }
        request.pause();
        answer.whenDone((slot, failure) -> loop.runOnContext(now -> {
            if (slot == null) {
                request.response().setStatusCode(503).end();
            } else {
                decided(request, loop, slot, ip, known);
                request.resume();
            }
        }));
    }

    private void decided(
            HttpServerRequest request, Context loop, ConnectionSlot slot, String ip, Map<String, String> known) {
        if (slot.granted()) {
            request.toWebSocket()
                    .onSuccess(socket ->
                            open(socket, new VertxConnection(socket, request.connection(), loop, ip, known), slot))
                    .onFailure(failure -> slot.release());
        } else {
            refuse(request.response(), slot.outcome());
        }
    }

    private static void refuse(HttpServerResponse response, Outcome outcome) {
        long now = System.currentTimeMillis();
        HttpDecision.headers(outcome, now, response::putHeader);
        response.setStatusCode(HttpDecision.status(outcome))
                .putHeader("Content-Type", HttpDecision.PROBLEM_TYPE)
                .end(Buffer.buffer(HttpDecision.problem(outcome, now)));
    }

    private void open(ServerWebSocket socket, Connection connection, ConnectionSlot slot) {
        OpenConnection opened = new OpenConnection(connection, pipeline.open(connection), slot);
        open.add(opened);
        try {
            socket.closeHandler(gone -> ended(opened));
            slot.whenLost(() -> connection.close(1013, "the limit on connections is reached"));
            socket.textMessageHandler(opened.session::receive);
            socket.binaryMessageHandler(bytes -> connection.close(INVALID_DATA, "a message must be text"));
            socket.exceptionHandler(broken -> connection.close(TOO_LARGE, "a message is too large, or no WebSocket's"));
        } catch (IllegalStateException e) {
            // A connection that was closed right after its handshake accepts no handlers any more.
            ended(opened);
        }
        if (closed) {
            rejectHandshake(opened);
        }
    }

    /** Closes every connection and releases its slot. Later handshakes are rejected. */
    @Override
    public void close() {
        closed = true;
        open.forEach(this::rejectHandshake);
    }

    private void rejectHandshake(OpenConnection opened) {
        opened.connection.close(GOING_AWAY, "the server is going away");
        ended(opened);
    }

    /** Idempotent. */
    private void ended(OpenConnection opened) {
        open.remove(opened);
        opened.slot.release();
        opened.session.closed();
    }

    /** An open connection with everything that ends with it. */
    private record OpenConnection(Connection connection, PipelineSession session, ConnectionSlot slot) {}

    /** Gets the notification of the end. */
    private static final class VertxEnd extends VerticleBase {
        private final VertxWebSockets sockets;

        VertxEnd(VertxWebSockets sockets) {
            this.sockets = sockets;
        }

        @Override
        public Future<?> stop() {
            sockets.close();
            return Future.succeededFuture();
        }
    }
}

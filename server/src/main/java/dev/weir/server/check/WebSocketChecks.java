package dev.weir.server.check;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import dev.weir.server.http.Connections;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import dev.weir.server.http.ServerState;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks over a WebSocket: each text frame is a check, each response a frame, in the order in which decisions complete.
 *
 * <p>A frame that is not a check gets an error response and is counted; ten within a minute close the connection.
 * Refusals never do. While a client does not read its responses, the server does not read its frames.
 */
public final class WebSocketChecks implements AutoCloseable {
    private static final short GOING_AWAY = 1001;
    private static final short POLICY_VIOLATION = 1008;
    private static final short TOO_LARGE = 1009;
    private static final int MOST_MALFORMED = 10;
    private static final long MALFORMED_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ServerState node;
    private final Weir weir;
    private final long pingMillis;
    private final Set<CheckSocket> sessions = ConcurrentHashMap.newKeySet();

    public WebSocketChecks(ServerState node, Duration idleTime) {
        this.node = node;
        this.weir = node.weir;
        this.pingMillis = Math.max(1, idleTime.toMillis() / 2);
    }

    public void register(Router router) {
        router.add(RouteAccess.SOCKET, "GET", "/v1/ws", this::upgrade);
    }

    /** Closes all sessions with the code for a server that goes away. */
    @Override
    public void close() {
        sessions.forEach(session -> session.socket.close(GOING_AWAY, "the server is going away"));
    }

    private void upgrade(Exchange exchange) {
        if (!exchange.request().canUpgradeToWebSocket()) {
            throw ProblemException.badRequest("this path needs a WebSocket upgrade");
        }
        Connections.Watched connection = exchange.connection();
        // Until the handshake has succeeded, the connection's timeouts apply; afterwards pings do.
        exchange.request().toWebSocket().onSuccess(socket -> {
            connection.streamBegins(exchange.isTokenValid());
            new CheckSocket(socket, connection).open();
        });
    }

    /** One connection; belongs to its event loop. */
    private final class CheckSocket {
        private final ServerWebSocket socket;
        private final Connections.Watched connection;
        private final Context loop = node.vertx.getOrCreateContext();
        /** The times of the latest malformed frames. */
        private final Deque<Long> malformed = new ArrayDeque<>();

        /**
         * The content of the last ping, which only a client that has read it can return; null if the pong has arrived.
         */
        private @Nullable Buffer unanswered;

        CheckSocket(ServerWebSocket socket, Connections.Watched connection) {
            this.socket = socket;
            this.connection = connection;
        }

        void open() {
            sessions.add(this);
            connection.limitFrames();
            node.sockets.incrementAndGet();
            long pings = node.vertx.setPeriodic(pingMillis, tick -> ping());
            socket.closeHandler(closed -> {
                sessions.remove(this);
                node.sockets.decrementAndGet();
                node.vertx.cancelTimer(pings);
            });
            // A message above the bound ends the connection; if the client disconnected, this has no effect.
            socket.exceptionHandler(broken -> socket.close(TOO_LARGE, "a message is at most 64 KiB"));
            socket.pongHandler(pong -> {
                if (pong.equals(unanswered)) {
                    unanswered = null;
                }
            });
            socket.textMessageHandler(this::frame);
            socket.binaryMessageHandler(
                    ignored -> malformed(ProblemException.badRequest("a frame must be text"), null));
        }

        /** Closes a connection whose last ping has no pong: the peer is gone, or reads nothing. */
        private void ping() {
            if (unanswered != null) {
                connection.cut();
                return;
            }
            unanswered = Buffer.buffer().appendLong(ThreadLocalRandom.current().nextLong());
            socket.writePing(unanswered);
        }

        private void frame(String text) {
            CheckBody check;
            try {
                check = CheckBody.read(text.getBytes(StandardCharsets.UTF_8), CheckBody.Kind.FRAME);
            } catch (ProblemException e) {
                malformed(e, null);
                return;
            }
            try {
                decide(check);
            } catch (IllegalArgumentException e) {
                malformed(ProblemException.badRequest(String.valueOf(e.getMessage())), check.id());
            }
        }

        private void decide(CheckBody check) {
            Answer<Outcome> answer = weir.checkAsync(check.request());
            if (answer.isDone()) {
                answer(check, answer);
            } else {
                answer.whenDone((outcome, failure) -> loop.runOnContext(hop -> answer(check, answer)));
            }
        }

        private void answer(CheckBody check, Answer<Outcome> answer) {
            try {
                Outcome outcome = answer.now();
                Json json = Json.newObject(640).field("type", type(outcome));
                echo(json, check.id());
                if (outcome.warnings().isEmpty()) {
                    HttpDecision.members(json, outcome, System.currentTimeMillis());
                } else {
                    HttpDecision.warned(json, outcome, System.currentTimeMillis());
                }
                send(json);
            } catch (StoreException e) {
                Json json = Json.newObject(128).field("type", "error");
                echo(json, check.id());
                send(json.field("error", "unavailable").field("message", "Rate limiter temporarily unavailable"));
            }
        }

        private void malformed(ProblemException problem, @Nullable String id) {
            Json json = Json.newObject(192).field("type", "error");
            echo(json, id);
            json.field("error", problem.error()).field("message", problem.detail());
            if (problem.field() != null) {
                json.field("field", problem.field());
            }
            send(json);
            long now = System.nanoTime();
            malformed.addLast(now);
            if (malformed.size() > MOST_MALFORMED) {
                malformed.removeFirst();
            }
            if (malformed.size() == MOST_MALFORMED && now - malformed.getFirst() < MALFORMED_NANOS) {
                socket.close(POLICY_VIOLATION, "too many malformed frames");
            }
        }

        private void send(Json json) {
            if (socket.isClosed()) {
                return;
            }
            socket.writeTextMessage(json.close('}').toString());
            if (socket.writeQueueFull()) {
                socket.pause();
                socket.drainHandler(drained -> socket.resume());
            }
        }
    }

    private static void echo(Json json, @Nullable String id) {
        if (id != null) {
            json.raw("id", id);
        }
    }

    private static String type(Outcome outcome) {
        if (!outcome.allowed()) {
            return "rate_limited";
        }
        return outcome.warnings().isEmpty() ? "allowed" : "rate_limit_warning";
    }
}

package dev.weir.example.hub;

import dev.weir.engine.Outcome;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketFrame;
import io.vertx.core.http.WebSocketFrameType;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One WebSocket connection. Every frame passes the same steps: parse, identification, check by Weir, execution. A frame
 * that fails at a step gets an error reply, and the next frame starts from the first step.
 *
 * <p>Ten malformed frames within a minute close the connection; rate refusals never do. An agent that does not read its
 * replies is not read from, and is cut off if this continues. Confined to the hub's event loop.
 */
final class AgentSession {
    static final short GOING_AWAY = 1001;
    static final short POLICY_VIOLATION = 1008;
    static final short TOO_LARGE = 1009;
    /** A close code of the hub: the agent has identified itself on another connection. */
    static final short REPLACED = 4001;

    /** The most unread bytes before the agent counts as slow. */
    private static final int MOST_UNREAD = 64 * 1024;

    private final Vertx vertx;
    private final Context loop;
    private final ServerWebSocket socket;
    private final String connection;
    private final HubOptions.Timeouts timeouts;
    private final HubLimits gate;
    private final AgentProtocol protocol;
    private final List<Long> timers = new ArrayList<>();
    private @Nullable String agent;
    private long idleSinceNanos = System.nanoTime();
    private boolean isAlive = true;
    private boolean isReading = true;
    /** Whether the hub has closed the session. The agent may not have noticed; its frames are ignored. */
    private boolean isDismissed;

    /** The number of reasons to read no frames for now. */
    private int holds;

    AgentSession(
            Vertx vertx,
            ServerWebSocket socket,
            String connection,
            HubOptions.Timeouts timeouts,
            HubLimits gate,
            AgentProtocol protocol) {
        this.vertx = vertx;
        this.loop = vertx.getOrCreateContext();
        this.socket = socket;
        this.connection = connection;
        this.timeouts = timeouts;
        this.gate = gate;
        this.protocol = protocol;
    }

    /**
     * Starts the session.
     *
     * @param whenClosed called once, at its end
     */
    void open(Runnable whenClosed) {
        socket.setWriteQueueMaxSize(MOST_UNREAD);
        socket.textMessageHandler(this::receive);
        socket.binaryMessageHandler(bytes -> malformed(HubError.malformed("a frame must be text")));
        socket.pongHandler(pong -> isAlive = true);
        socket.frameHandler(this::control);
        socket.exceptionHandler(broken -> close(TOO_LARGE, "a message is too large, or no WebSocket's"));
        socket.closeHandler(closed -> {
            ended();
            whenClosed.run();
        });
        timers.add(vertx.setTimer(timeouts.request().toMillis(), late -> {
            if (agent == null) {
                close(POLICY_VIOLATION, "identify yourself in time");
            }
        }));
        timers.add(vertx.setPeriodic(timeouts.heartbeat().toMillis(), tick -> heartbeat()));
    }

    /** The name of the agent. Only for sessions that have been identified. */
    String agent() {
        if (agent == null) {
            throw new IllegalStateException("no agent has identified itself on this connection");
        }
        return agent;
    }

    /** Since when the agent has had no task. */
    long idleSinceNanos() {
        return idleSinceNanos;
    }

    void becomeIdle() {
        idleSinceNanos = System.nanoTime();
    }

    /** Whether the agent reads its frames fast enough. */
    boolean isReading() {
        return isReading;
    }

    /** Sends a frame that the agent has not requested. Returns false if the agent is slow. */
    boolean offer(JsonObject frame) {
        if (!isReading || isDismissed || socket.isClosed()) {
            return false;
        }
        send(frame);
        return true;
    }

    void send(JsonObject frame) {
        if (isDismissed || socket.isClosed()) {
            return;
        }
        socket.writeTextMessage(frame.encode());
        if (isReading && socket.writeQueueFull()) {
            awaitReader();
        }
    }

    void close(short code, String reason) {
        if (!isDismissed && !socket.isClosed()) {
            isDismissed = true;
            // The agent does not read, so it will not read the close frame either. The server's write timeout cuts it
            // off.
            socket.close(code, reason);
            hold();
        }
    }

    private void receive(String text) {
        if (isDismissed) {
            return;
        }
        isAlive = true;
        Frame frame;
        try {
            frame = Frame.parse(text);
        } catch (HubError e) {
            malformed(e);
            return;
        }
        if (agent == null) {
            identify(frame);
            return;
        }
        // No more is read until the decision completes, so that frames keep their order.
        hold();
        EventLoopAnswers.then(loop, gate.message(agent, frame.type()), outcome -> {
            try {
                decided(frame, outcome.now());
            } finally {
                release();
            }
        });
    }

    /**
     * Identifies the agent. Not limited, as there is no agent to charge yet: it is the only message allowed here, and
     * one wrong token closes the connection.
     */
    private void identify(Frame frame) {
        if (!frame.type().equals("identify")) {
            malformed(HubError.of(401, "not_identified", "the first message must be 'identify'"));
            return;
        }
        agent = protocol.holder(frame);
        if (agent == null) {
            send(frame.answer("error")
                    .mergeIn(HubError.unauthorized("no agent has this token").body()));
            close(POLICY_VIOLATION, "no agent has this token");
        } else {
            protocol.arrived(this, frame);
        }
    }

    private void decided(Frame frame, Outcome outcome) {
        if (isDismissed) {
            return;
        }
        if (!outcome.allowed()) {
            send(DecisionFrames.refusalFrame(frame, outcome));
            return;
        }
        outcome.warnings().forEach(warning -> send(DecisionFrames.warningFrame(outcome, warning)));
        try {
            protocol.handle(this, frame);
        } catch (HubError e) {
            send(frame.answer("error").mergeIn(e.body()));
        }
    }

    /**
     * Handles control frames. Vert.x replies to pings, and they are no messages. Too many of them count as malformed.
     */
    private void control(WebSocketFrame frame) {
        boolean isControl = frame.type() == WebSocketFrameType.PING || frame.type() == WebSocketFrameType.PONG;
        if (isControl && !gate.toleratesControl(connection)) {
            malformed(HubError.malformed("too many control frames"));
        }
    }

    private void malformed(HubError problem) {
        send(new JsonObject().put("type", "error").mergeIn(problem.body()));
        if (!gate.toleratesMalformed(connection)) {
            close(POLICY_VIOLATION, "too many malformed frames");
        }
    }

    private void awaitReader() {
        isReading = false;
        hold();
        long timer = vertx.setTimer(
                timeouts.reading().toMillis(), late -> close(POLICY_VIOLATION, "you do not read what you are sent"));
        timers.add(timer);
        socket.drainHandler(drained -> {
            vertx.cancelTimer(timer);
            timers.remove(timer);
            isReading = true;
            release();
        });
    }

    private void hold() {
        holds++;
        socket.pause();
    }

    private void release() {
        holds--;
        if (holds == 0) {
            socket.resume();
        }
    }

    /** Sends a ping. A peer that did not reply to the previous one is disconnected. */
    private void heartbeat() {
        if (!isAlive) {
            close(POLICY_VIOLATION, "no heartbeat");
            return;
        }
        isAlive = false;
        socket.writePing(Buffer.buffer());
    }

    private void ended() {
        timers.forEach(vertx::cancelTimer);
        gate.forget(connection);
        if (agent != null) {
            protocol.left(agent, this);
        }
    }
}

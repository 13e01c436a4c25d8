package dev.weir.example.saas;

import dev.weir.engine.Outcome;
import dev.weir.engine.connection.ConnectionLimits;
import dev.weir.engine.connection.ConnectionSlot;
import dev.weir.engine.http.DecisionText;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.stereotype.Component;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.TextWebSocketHandler;
import org.springframework.web.socket.server.HandshakeInterceptor;

/**
 * Live connections, as many at a time as the member's plan allows (B8). A slot is taken at the handshake, in one step; a
 * handshake beyond the plan is answered 429. Every kind of end gives it back.
 */
@Component
class LiveConnections extends TextWebSocketHandler implements HandshakeInterceptor {
    static final String PATH = "/live";

    private static final String SLOT = "slot";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final CloseStatus LOST = new CloseStatus(1013, "the slot of this connection was lost");

    private final ConnectionLimits limits;
    private final Caller caller;

    LiveConnections(ConnectionLimits limits, Caller caller) {
        this.limits = limits;
        this.caller = caller;
    }

    @Override
    public boolean beforeHandshake(
            ServerHttpRequest request,
            ServerHttpResponse response,
            WebSocketHandler handler,
            Map<String, Object> session)
            throws IOException {
        Members.Member member = caller.member(((ServletServerHttpRequest) request).getServletRequest());
        ConnectionSlot slot = limits.admit(Map.of("user", member.name(), "plan", member.plan(), "channel", "ws"))
                .await(PATIENCE);
        if (!slot.granted()) {
            refuse(response, slot.outcome());
            return false;
        }
        session.put(SLOT, slot);
        return true;
    }

    private static void refuse(ServerHttpResponse response, Outcome outcome) throws IOException {
        long now = System.currentTimeMillis();
        response.setStatusCode(HttpStatusCode.valueOf(DecisionText.status(outcome)));
        DecisionText.headers(outcome, now, response.getHeaders()::set);
        response.getHeaders().set("Content-Type", DecisionText.PROBLEM_TYPE);
        response.getBody().write(DecisionText.problem(outcome, now));
    }

    @Override
    public void afterHandshake(
            ServerHttpRequest request,
            ServerHttpResponse response,
            WebSocketHandler handler,
            @Nullable Exception failure) {
        // A handshake that fails after the slot was taken leaves a lease, which ends by itself.
    }

    @Override
    public void afterConnectionEstablished(WebSocketSession session) {
        slot(session).whenLost(() -> {
            try {
                session.close(LOST);
            } catch (IOException e) {
                // It is gone.
            }
        });
    }

    @Override
    protected void handleTextMessage(WebSocketSession session, TextMessage message) throws IOException {
        session.sendMessage(new TextMessage("heard " + message.getPayload()));
    }

    @Override
    public void afterConnectionClosed(WebSocketSession session, CloseStatus status) {
        slot(session).release();
    }

    private static ConnectionSlot slot(WebSocketSession session) {
        return (ConnectionSlot) Objects.requireNonNull(session.getAttributes().get(SLOT));
    }
}

package dev.weir.example.saas;

import java.io.IOException;
import org.springframework.stereotype.Component;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.TextWebSocketHandler;

/** Handles live connections. It has no code for limits: a handshake beyond the member's plan never reaches it. */
@Component
class LiveConnections extends TextWebSocketHandler {
    static final String PATH = "/live";

    @Override
    protected void handleTextMessage(WebSocketSession session, TextMessage message) throws IOException {
        session.sendMessage(new TextMessage("heard " + message.getPayload()));
    }
}

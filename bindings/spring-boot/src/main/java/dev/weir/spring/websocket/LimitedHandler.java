package dev.weir.spring.websocket;

import dev.weir.binding.websocket.Connection;
import dev.weir.binding.websocket.Message;
import dev.weir.binding.websocket.MessagePipeline;
import dev.weir.binding.websocket.PipelineSession;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.web.socket.BinaryMessage;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.WebSocketMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.handler.ConcurrentWebSocketSessionDecorator;
import org.springframework.web.socket.handler.WebSocketHandlerDecorator;

/**
 * A handler whose messages first go through a pipeline. It never gets a refused message. The container's thread waits
 * while a remote store decides, so that no further message is read.
 */
final class LimitedHandler extends WebSocketHandlerDecorator implements AutoCloseable {
    /** How long one send may take, and how much may be queued, before a client that does not read is cut off. */
    private static final int SEND_MILLIS = 10_000;

    private static final int SEND_BYTES = 512 * 1024;

    private final MessagePipeline pipeline;
    /** By session id. */
    private final Map<String, PipelineSession> open = new ConcurrentHashMap<>();

    LimitedHandler(MessagePipeline.Builder pipeline, WebSocketHandler delegate) {
        super(delegate);
        this.pipeline = pipeline.to(this::deliver);
    }

    @Override
    public void afterConnectionEstablished(WebSocketSession session) throws Exception {
        PendingConnection arrival = PendingConnection.of(session.getAttributes());
        if (arrival == null) {
            throw new IllegalStateException("the handshake was not limited");
        }
        WebSocketSession safe = new ConcurrentWebSocketSessionDecorator(session, SEND_MILLIS, SEND_BYTES);
        open.put(session.getId(), pipeline.open(new SpringConnection(safe, arrival)));
        // A character has at least one byte. The container refuses longer messages with 1009, unread.
        session.setTextMessageSizeLimit((int) Math.min(Integer.MAX_VALUE, pipeline.largestPayload() * 2L + 1024));
        super.afterConnectionEstablished(safe);
    }

    @Override
    public void handleMessage(WebSocketSession session, WebSocketMessage<?> message) throws Exception {
        PipelineSession limited = open.get(session.getId());
        if (limited == null) {
            return;
        }
        if (message instanceof TextMessage text) {
            limited.receiveAndWait(text.getPayload());
        } else if (message instanceof BinaryMessage) {
            limited.receiveBinary();
        } else {
            super.handleMessage(session(limited.connection()), message);
        }
    }

    @Override
    public void handleTransportError(WebSocketSession session, Throwable failure) throws Exception {
        PipelineSession limited = open.get(session.getId());
        super.handleTransportError(limited == null ? session : session(limited.connection()), failure);
    }

    @Override
    public void afterConnectionClosed(WebSocketSession session, CloseStatus status) throws Exception {
        PipelineSession limited = open.remove(session.getId());
        if (limited != null) {
            limited.closed();
            super.afterConnectionClosed(session(limited.connection()), status);
        }
    }

    /** Returns false: the pipeline needs complete messages, as a part has no type. */
    @Override
    public boolean supportsPartialMessages() {
        return false;
    }

    @Override
    public void close() {
        pipeline.close();
    }

    private @Nullable CompletionStage<?> deliver(Message message, Connection connection) throws Exception {
        getDelegate().handleMessage(session(connection), new TextMessage(message.text()));
        return null;
    }

    private static WebSocketSession session(Connection connection) {
        return ((SpringConnection) connection).session();
    }
}

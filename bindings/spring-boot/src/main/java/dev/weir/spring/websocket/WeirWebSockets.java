package dev.weir.spring.websocket;

import dev.weir.binding.servlet.Refusal;
import dev.weir.binding.websocket.MessagePipeline;
import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.server.HandshakeInterceptor;

/**
 * Limits Spring's WebSockets. An application adds {@link #handshake()} to the interceptors of an endpoint and registers
 * {@link #limit limit(handler)} instead of its handler. With STOMP, Spring provides the handler, and the interceptor is
 * enough.
 *
 * <p>Connections hold slots of the {@code concurrency} limits of the configuration until they end, for whatever reason.
 * Messages go through a {@link MessagePipeline}. One instance serves all endpoints of an application.
 */
public final class WeirWebSockets implements AutoCloseable {
    private final Weir weir;
    private final SlotHandshake handshake;
    private final List<MessagePipelineCustomizer> customizers;
    private final List<LimitedHandler> handlers = new CopyOnWriteArrayList<>();

    WeirWebSockets(
            Weir weir,
            ConnectionLimits connections,
            List<ConnectionAttributes> attributes,
            List<MessagePipelineCustomizer> customizers,
            Refusal refusal) {
        this.weir = weir;
        this.handshake = new SlotHandshake(weir, connections, attributes, refusal);
        this.customizers = List.copyOf(customizers);
    }

    /** Returns an interceptor that acquires a slot at the handshake, or responds with 429. */
    public HandshakeInterceptor handshake() {
        return handshake;
    }

    /** Returns the handler with its messages limited and its connections' slots held. */
    public WebSocketHandler limit(WebSocketHandler handler) {
        MessagePipeline.Builder pipeline = MessagePipeline.builder(weir);
        customizers.forEach(customizer -> customizer.customize(pipeline));
        LimitedHandler limited = new LimitedHandler(pipeline, handler);
        handlers.add(limited);
        return new SlotHandler(limited, true);
    }

    /** Returns the handler with its connections' slots held and its messages not limited. */
    public WebSocketHandler hold(WebSocketHandler handler) {
        return new SlotHandler(handler, true);
    }

    @Override
    public void close() {
        handlers.forEach(LimitedHandler::close);
    }
}

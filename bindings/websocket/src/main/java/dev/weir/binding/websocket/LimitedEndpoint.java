package dev.weir.binding.websocket;

import dev.weir.engine.connection.ConnectionSlot;
import jakarta.websocket.CloseReason;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.HandshakeResponse;
import jakarta.websocket.MessageHandler.Whole;
import jakarta.websocket.Session;
import jakarta.websocket.server.HandshakeRequest;
import jakarta.websocket.server.ServerEndpointConfig;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A Jakarta WebSocket endpoint whose messages go through a pipeline. {@link #config} returns one for deployment. {@link
 * HandshakeFilter} must run before it, and limits the handshake.
 *
 * <p>The container's thread waits while a remote store decides, so that no further message is read.
 */
public final class LimitedEndpoint extends Endpoint {
    private static final String ARRIVAL = "dev.weir.arrival";

    private final MessagePipeline pipeline;
    private volatile @Nullable PipelineSession session;
    private volatile @Nullable ConnectionSlot slot;

    private LimitedEndpoint(MessagePipeline pipeline) {
        this.pipeline = pipeline;
    }

    /** Returns an endpoint at a path, for {@link jakarta.websocket.server.ServerContainer#addEndpoint}. */
    public static ServerEndpointConfig config(String path, MessagePipeline pipeline) {
        return ServerEndpointConfig.Builder.create(LimitedEndpoint.class, path)
                .configurator(new Configurator(pipeline))
                .build();
    }

    @Override
    public void onOpen(Session opened, EndpointConfig config) {
        HandshakeFilter.PendingHandshake arrival =
                HandshakeFilter.claim((String) config.getUserProperties().get(ARRIVAL));
        JakartaConnection connection = new JakartaConnection(
                opened,
                arrival == null ? "unknown" : arrival.ip(),
                new ConcurrentHashMap<>(arrival == null ? Map.of() : arrival.attributes()));
        if (arrival == null) {
            connection.close(CloseReason.CloseCodes.UNEXPECTED_CONDITION.getCode(), "there is no HandshakeFilter");
            return;
        }
        slot = arrival.slot();
        PipelineSession begun = pipeline.open(connection);
        session = begun;
        arrival.slot().whenLost(() -> connection.close(1013, "the limit on connections is reached"));
        // A character has at least one byte. The container refuses longer messages with 1009, unread.
        opened.setMaxTextMessageBufferSize(pipeline.options.mostBytes() * 2 + 1024);
        // Named classes: the container cannot determine the message type of a lambda.
        opened.addMessageHandler(new Whole<String>() {
            @Override
            public void onMessage(String text) {
                begun.receiveAndWait(text);
            }
        });
        opened.addMessageHandler(new Whole<ByteBuffer>() {
            @Override
            public void onMessage(ByteBuffer bytes) {
                begun.receiveBinary();
            }
        });
    }

    /** Called by the container at the end of every connection, also after an error. */
    @Override
    public void onClose(Session closed, CloseReason reason) {
        end();
    }

    @Override
    public void onError(Session broken, Throwable failure) {
        if (!broken.isOpen()) {
            end();
        }
    }

    private void end() {
        ConnectionSlot held = slot;
        if (held != null) {
            held.release();
        }
        PipelineSession begun = session;
        if (begun != null) {
            begun.closed();
        }
    }

    /** Creates an endpoint for each connection, and hands it the admitted handshake. */
    private static final class Configurator extends ServerEndpointConfig.Configurator {
        private final MessagePipeline pipeline;

        Configurator(MessagePipeline pipeline) {
            this.pipeline = pipeline;
        }

        @Override
        public <T> T getEndpointInstance(Class<T> type) {
            return type.cast(new LimitedEndpoint(pipeline));
        }

        @Override
        public void modifyHandshake(ServerEndpointConfig config, HandshakeRequest request, HandshakeResponse response) {
            List<String> ticket = request.getHeaders().get(HandshakeFilter.TICKET);
            if (ticket != null && !ticket.isEmpty()) {
                config.getUserProperties().put(ARRIVAL, ticket.get(0));
            }
        }
    }
}

package dev.weir.spring.websocket;

import dev.weir.engine.AttributeText;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.http.HttpDecision;
import dev.weir.spring.RateLimitedException;
import dev.weir.spring.WeirProperties;
import java.security.Principal;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageDeliveryException;
import org.springframework.messaging.simp.SimpMessageHeaderAccessor;
import org.springframework.messaging.simp.SimpMessageType;
import org.springframework.messaging.simp.SimpMessagingTemplate;
import org.springframework.messaging.simp.stomp.StompHeaderAccessor;
import org.springframework.messaging.support.ChannelInterceptor;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.messaging.support.MessageHeaderAccessor;
import org.springframework.util.MimeTypeUtils;

/**
 * Limits incoming SEND and SUBSCRIBE frames, before other interceptors. Limits see the {@code type} (the command),
 * {@code path} (the destination), {@code connection}, and the attributes of the handshake. The connection's thread
 * waits while a remote store decides, so that frames keep their order and no more are read.
 *
 * <p>A frame counts by how Spring delivers it: a MESSAGE frame, which only servers may send, reaches the same handlers
 * as SEND.
 */
final class StompLimits implements ChannelInterceptor {
    private static final Duration DECISION_TIMEOUT = Duration.ofMinutes(5);

    private final Weir weir;
    private final WeirProperties.Stomp properties;
    private final Supplier<@Nullable SimpMessagingTemplate> template;

    /**
     * @param template resolved when a client is notified, as it is built from the channels that contain this
     *     interceptor
     */
    StompLimits(Weir weir, WeirProperties.Stomp properties, Supplier<@Nullable SimpMessagingTemplate> template) {
        this.weir = weir;
        this.properties = properties;
        this.template = template;
    }

    @Override
    public @Nullable Message<?> preSend(Message<?> message, MessageChannel channel) {
        StompHeaderAccessor frame = MessageHeaderAccessor.getAccessor(message, StompHeaderAccessor.class);
        if (frame == null || !isLimited(frame)) {
            return message;
        }
        Outcome outcome;
        try {
            outcome = weir.checkAsync(Request.of(attributes(frame))).await(DECISION_TIMEOUT);
        } catch (IllegalArgumentException e) {
            throw new MessageDeliveryException(message, String.valueOf(e.getMessage()), e);
        }
        if (outcome.allowed()) {
            return message;
        }
        if (properties.onExceed() == WeirProperties.Stomp.OnExceed.CLOSE) {
            RateLimitedException refused = new RateLimitedException(outcome);
            throw new MessageDeliveryException(message, String.valueOf(refused.getMessage()), refused);
        }
        tell(frame, outcome);
        return null;
    }

    /** Whether limits apply. The destination of the notices stays open to a client that is refused. */
    private boolean isLimited(StompHeaderAccessor frame) {
        SimpMessageType type = frame.getMessageType();
        return type == SimpMessageType.MESSAGE
                || (type == SimpMessageType.SUBSCRIBE
                        && !("/user" + properties.destination()).equals(frame.getDestination()));
    }

    /** Returns the command of a limited frame. */
    private static String command(StompHeaderAccessor frame) {
        return frame.getMessageType() == SimpMessageType.MESSAGE ? "SEND" : "SUBSCRIBE";
    }

    private static Map<String, String> attributes(StompHeaderAccessor frame) {
        Map<String, String> attributes = new HashMap<>();
        Map<String, Object> session = frame.getSessionAttributes();
        PendingConnection arrival = session == null ? null : PendingConnection.of(session);
        if (arrival != null) {
            attributes.putAll(arrival.attributes());
        }
        Principal user = frame.getUser();
        if (user != null && user.getName() != null) {
            attributes.put("user", AttributeText.bounded(user.getName()));
        }
        attributes.put("channel", "ws");
        attributes.put("type", command(frame));
        String destination = frame.getDestination();
        if (destination != null) {
            // A destination has no query.
            attributes.put("path", destination.replace("?", "%3F"));
        }
        String connection = frame.getSessionId();
        if (connection != null) {
            attributes.put("connection", connection);
        }
        return attributes;
    }

    /** Notifies this one session, whichever user is logged in there. */
    private void tell(StompHeaderAccessor frame, Outcome outcome) {
        String session = frame.getSessionId();
        SimpMessagingTemplate telling = template.get();
        if (session == null || telling == null) {
            return;
        }
        SimpMessageHeaderAccessor headers = SimpMessageHeaderAccessor.create();
        headers.setSessionId(session);
        headers.setContentType(MimeTypeUtils.APPLICATION_JSON);
        headers.setNativeHeader("refused", command(frame));
        if (frame.getDestination() != null) {
            headers.setNativeHeader("refused-destination", AttributeText.bounded(frame.getDestination()));
        }
        headers.setLeaveMutable(true);
        telling.send(
                telling.getUserDestinationPrefix() + session + properties.destination(),
                MessageBuilder.createMessage(
                        HttpDecision.problem(outcome, System.currentTimeMillis()), headers.getMessageHeaders()));
    }
}

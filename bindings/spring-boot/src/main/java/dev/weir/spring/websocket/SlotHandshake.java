package dev.weir.spring.websocket;

import dev.weir.StoreException;
import dev.weir.binding.servlet.Refusal;
import dev.weir.binding.servlet.WeirFilter;
import dev.weir.engine.AttributeText;
import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import dev.weir.engine.connection.ConnectionSlot;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.http.server.ServletServerHttpResponse;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.server.HandshakeInterceptor;

/**
 * Acquires a slot of the limits on connections at the handshake. A handshake beyond the limits gets 429. {@link
 * SlotHandler} takes over the slot; a slot that is not taken over is released.
 */
final class SlotHandshake implements HandshakeInterceptor {
    private static final Duration ACQUIRE_TIMEOUT = Duration.ofMinutes(1);
    private static final int SWITCHING = 101;

    private final Weir weir;
    private final ConnectionLimits connections;
    private final List<ConnectionAttributes> attributes;
    private final Refusal refusal;

    SlotHandshake(Weir weir, ConnectionLimits connections, List<ConnectionAttributes> attributes, Refusal refusal) {
        this.weir = weir;
        this.connections = connections;
        this.attributes = attributes;
        this.refusal = refusal;
    }

    @Override
    public boolean beforeHandshake(
            ServerHttpRequest request,
            ServerHttpResponse response,
            WebSocketHandler handler,
            Map<String, Object> session)
            throws IOException {
        HttpServletRequest servletRequest = ((ServletServerHttpRequest) request).getServletRequest();
        HttpServletResponse servletResponse = ((ServletServerHttpResponse) response).getServletResponse();
        Map<String, String> known = known(servletRequest);
        attributes.forEach(
                more -> more.of(request).forEach((name, value) -> known.put(name, AttributeText.bounded(value))));
        known.put("channel", "ws");
        ConnectionSlot slot;
        try {
            slot = connections.admit(known).await(ACQUIRE_TIMEOUT);
        } catch (StoreException e) {
            servletResponse.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            return false;
        }
        if (!slot.granted()) {
            Outcome outcome = servletRequest.getAttribute(WeirFilter.OUTCOME) instanceof Outcome earlier
                    ? slot.outcome().after(earlier)
                    : slot.outcome();
            refusal.answer(servletRequest, servletResponse, outcome);
            return false;
        }
        PendingConnection arrival = new PendingConnection(slot, known.getOrDefault("ip", "unknown"), known);
        session.put(PendingConnection.NAME, arrival);
        servletRequest.setAttribute(PendingConnection.NAME, arrival);
        return true;
    }

    @Override
    public void afterHandshake(
            ServerHttpRequest request,
            ServerHttpResponse response,
            WebSocketHandler handler,
            @Nullable Exception failure) {
        if (!(((ServletServerHttpRequest) request).getServletRequest().getAttribute(PendingConnection.NAME)
                instanceof PendingConnection arrival)) {
            return;
        }
        int status = ((ServletServerHttpResponse) response).getServletResponse().getStatus();
        if (failure != null || status != SWITCHING) {
            arrival.forget();
        } else {
            // The connection opens soon, unless the client is gone.
            CompletableFuture.delayedExecutor(ACQUIRE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                    .execute(arrival::forget);
        }
    }

    /** Returns the attributes that the filter found, or those that are visible without it. */
    @SuppressWarnings("unchecked")
    private Map<String, String> known(HttpServletRequest request) {
        if (request.getAttribute(WeirFilter.ATTRIBUTES) instanceof Map<?, ?> found) {
            return new HashMap<>((Map<String, String>) found);
        }
        Map<String, String> known = new HashMap<>();
        known.put(
                "ip",
                weir.clients()
                        .of(request.getRemoteAddr(), lines(request, "Forwarded"), lines(request, "X-Forwarded-For")));
        Principal user = request.getUserPrincipal();
        if (user != null) {
            known.put("user", AttributeText.bounded(user.getName()));
        }
        return known;
    }

    private static List<String> lines(HttpServletRequest request, String header) {
        return new ArrayList<>(Collections.list(request.getHeaders(header)));
    }
}

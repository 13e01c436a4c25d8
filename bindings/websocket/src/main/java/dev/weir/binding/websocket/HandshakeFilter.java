package dev.weir.binding.websocket;

import dev.weir.StoreException;
import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import dev.weir.engine.connection.ConnectionSlot;
import dev.weir.engine.http.HttpDecision;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A servlet filter that limits how many WebSockets are open. It answers a handshake beyond the limits with 429. Put it
 * before the container's own WebSocket filter. {@link LimitedEndpoint} takes over the slot, the address and the
 * attributes.
 *
 * <p>The slot of a connection that is admitted here and never opened is released.
 */
public final class HandshakeFilter implements Filter {
    /** The header that carries the ticket from this filter to the endpoint. A client's own value is replaced. */
    static final String TICKET = "X-Weir-Handshake";

    private static final Duration ACQUIRE_TIMEOUT = Duration.ofMinutes(1);
    private static final int SWITCHING = 101;
    /** Admitted handshakes by ticket, until the endpoint opens. The filter and the endpoint share nothing else. */
    private static final Map<String, PendingHandshake> ARRIVALS = new ConcurrentHashMap<>();

    private final Weir weir;
    private final ConnectionLimits connections;
    private final Function<HttpServletRequest, Map<String, String>> attributes;

    /** @param attributes returns the attributes of the connecting client, such as the user; the address is added */
    public HandshakeFilter(
            Weir weir, ConnectionLimits connections, Function<HttpServletRequest, Map<String, String>> attributes) {
        this.weir = weir;
        this.connections = connections;
        this.attributes = attributes;
    }

    /** An admitted handshake that is not yet open. */
    record PendingHandshake(ConnectionSlot slot, String ip, Map<String, String> attributes) {}

    /** Removes and returns the handshake of a ticket; null if the ticket is unknown. */
    static @Nullable PendingHandshake claim(@Nullable String ticket) {
        return ticket == null ? null : ARRIVALS.remove(ticket);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http)
                || !(response instanceof HttpServletResponse answer)
                || !"websocket".equalsIgnoreCase(http.getHeader("Upgrade"))) {
            chain.doFilter(request, response);
            return;
        }
        Map<String, String> known = attributes.apply(http);
        String ip = weir.clients().of(http.getRemoteAddr(), lines(http, "Forwarded"), lines(http, "X-Forwarded-For"));
        Map<String, String> asking = new HashMap<>(known);
        asking.put("ip", ip);
        asking.put("channel", "ws");
        ConnectionSlot slot;
        try {
            slot = connections.admit(asking).await(ACQUIRE_TIMEOUT);
        } catch (StoreException e) {
            answer.setStatus(503);
            return;
        }
        if (slot.granted()) {
            admit(http, answer, chain, new PendingHandshake(slot, ip, known));
        } else {
            refuse(answer, slot);
        }
    }

    private void admit(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain, PendingHandshake arrival)
            throws IOException, ServletException {
        String ticket = UUID.randomUUID().toString();
        ARRIVALS.put(ticket, arrival);
        boolean isOpening = false;
        try {
            chain.doFilter(new Ticketed(request, ticket), response);
            isOpening = response.getStatus() == SWITCHING;
        } finally {
            if (!isOpening) {
                forget(ticket);
            } else {
                CompletableFuture.delayedExecutor(ACQUIRE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                        .execute(() -> forget(ticket));
            }
        }
    }

    private static void forget(String ticket) {
        PendingHandshake unclaimed = claim(ticket);
        if (unclaimed != null) {
            unclaimed.slot.release();
        }
    }

    private static void refuse(HttpServletResponse response, ConnectionSlot slot) throws IOException {
        long now = System.currentTimeMillis();
        HttpDecision.headers(slot.outcome(), now, response::setHeader);
        response.setStatus(HttpDecision.status(slot.outcome()));
        response.setContentType(HttpDecision.PROBLEM_TYPE);
        byte[] problem = HttpDecision.problem(slot.outcome(), now);
        response.setContentLength(problem.length);
        response.getOutputStream().write(problem);
    }

    private static List<String> lines(HttpServletRequest request, String header) {
        return new ArrayList<>(Collections.list(request.getHeaders(header)));
    }

    /** The handshake request with this filter's ticket, whatever the client sent in that header. */
    private static final class Ticketed extends HttpServletRequestWrapper {
        private final String ticket;

        Ticketed(HttpServletRequest request, String ticket) {
            super(request);
            this.ticket = ticket;
        }

        @Override
        public @Nullable String getHeader(String name) {
            return name.equalsIgnoreCase(TICKET) ? ticket : super.getHeader(name);
        }

        @Override
        public Enumeration<String> getHeaders(String name) {
            return name.equalsIgnoreCase(TICKET) ? Collections.enumeration(List.of(ticket)) : super.getHeaders(name);
        }

        @Override
        public Enumeration<String> getHeaderNames() {
            List<String> names = new ArrayList<>(Collections.list(super.getHeaderNames()));
            names.removeIf(TICKET::equalsIgnoreCase);
            names.add(TICKET);
            return Collections.enumeration(names);
        }
    }
}

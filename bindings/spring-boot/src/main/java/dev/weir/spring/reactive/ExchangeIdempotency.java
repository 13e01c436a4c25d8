package dev.weir.spring.reactive;

import dev.weir.Answer;
import dev.weir.engine.idempotency.IdempotencyGate;
import dev.weir.engine.idempotency.IdempotencyGate.Finding;
import dev.weir.engine.idempotency.IdempotencyKeys;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spring.WeirProperties;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Checks whether a request with an idempotency key is new, in flight, or done. */
final class ExchangeIdempotency {
    /** The largest body of a request with a key, in bytes. */
    static final int LARGEST_REQUEST = 1 << 20;

    private final IdempotencyGate gate;

    ExchangeIdempotency(WeirProperties.Idempotency rules, ResponseStore responses) {
        this.gate = new IdempotencyGate(
                responses,
                rules.header(),
                List.of("user", "ip"),
                rules.required(),
                rules.ttl(),
                Duration.ofMinutes(1),
                Duration.ZERO,
                LARGEST_REQUEST,
                512 * 1024,
                IdempotencyKeys::remembers);
    }

    /**
     * Returns the exchange, with its body read if the digest needs it. A multipart body differs on each transmission.
     */
    Mono<ServerWebExchange> withBody(ServerWebExchange exchange) {
        ServerHttpRequest request = exchange.getRequest();
        return concerns(request) && request.getHeaders().getFirst(gate.header()) != null && !isMultipart(request)
                ? BufferedExchange.read(exchange, LARGEST_REQUEST)
                : Mono.just(exchange);
    }

    /** Looks the key up. The answer never fails. */
    Answer<Finding> find(ServerWebExchange exchange, Map<String, String> attributes) {
        ServerHttpRequest request = exchange.getRequest();
        return concerns(request)
                ? gate.ask(ExchangeReader.lines(request, gate.header()), attributes, () -> digest(exchange))
                : Answer.of(new Finding.None());
    }

    private static boolean concerns(ServerHttpRequest request) {
        return IdempotencyKeys.concerns(request.getMethod().name());
    }

    /** Returns the digest; null if the body is too large. For a multipart body, the length represents the content. */
    private static byte @Nullable [] digest(ServerWebExchange exchange) {
        ServerHttpRequest request = exchange.getRequest();
        byte[] body = isMultipart(request)
                ? Long.toString(request.getHeaders().getContentLength()).getBytes(StandardCharsets.US_ASCII)
                : BufferedExchange.body(exchange);
        return body == null
                ? null
                : IdempotencyKeys.digest(
                        request.getMethod().name(),
                        request.getURI().getRawPath(),
                        request.getURI().getRawQuery(),
                        body);
    }

    private static boolean isMultipart(ServerHttpRequest request) {
        MediaType type = request.getHeaders().getContentType();
        return type != null && type.getType().equalsIgnoreCase("multipart");
    }
}

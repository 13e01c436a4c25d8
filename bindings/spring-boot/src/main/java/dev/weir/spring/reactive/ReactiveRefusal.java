package dev.weir.spring.reactive;

import dev.weir.engine.Outcome;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.http.RefusalBody;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Writes the response to a refused request of a reactive application. The status is set before; the rate-limit headers
 * are added when the response is sent. A bean of this type replaces the problem document.
 */
@FunctionalInterface
public interface ReactiveRefusal {
    /** Writes a problem document (RFC 9457). */
    ReactiveRefusal PROBLEM = (exchange, outcome) ->
            send(exchange, HttpDecision.PROBLEM_TYPE, HttpDecision.problem(outcome, System.currentTimeMillis()));

    /**
     * Writes a body from a template with placeholders, such as <code>{"wait":{retry_after_secs}}</code>; see {@link
     * RefusalBody}.
     *
     * @throws IllegalArgumentException if a placeholder does not exist, or the content type is JSON and the template is
     *     not
     */
    static ReactiveRefusal of(String contentType, String template) {
        RefusalBody body = RefusalBody.of(contentType, template);
        return (exchange, outcome) -> send(exchange, contentType, body.bytes(outcome));
    }

    Mono<Void> write(ServerWebExchange exchange, Outcome outcome);

    /** Sends a body. */
    static Mono<Void> send(ServerWebExchange exchange, String contentType, byte[] body) {
        ServerHttpResponse response = exchange.getResponse();
        response.getHeaders().set(HttpHeaders.CONTENT_TYPE, contentType);
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }
}

package dev.weir.spring.reactive;

import dev.weir.engine.Outcome;
import dev.weir.engine.http.DecisionText;
import dev.weir.engine.http.RefusalBody;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Answers a request of a reactive application that a limit refuses. The status is set already; the headers of the decision
 * are added when the response is sent. A bean of this type takes the place of the problem document.
 */
@FunctionalInterface
public interface ReactiveRefusal {
    /** A problem document (RFC 9457). */
    ReactiveRefusal PROBLEM = (exchange, outcome) ->
            send(exchange, DecisionText.PROBLEM_TYPE, DecisionText.problem(outcome, System.currentTimeMillis()));

    /**
     * A body of a template with placeholders, such as <code>{"wait":{retry_after_secs}}</code>; see {@link RefusalBody}.
     *
     * @throws IllegalArgumentException if a placeholder does not exist, or the template is to be JSON and is not
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

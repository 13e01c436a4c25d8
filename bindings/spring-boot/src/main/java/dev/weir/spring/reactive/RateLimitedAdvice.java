package dev.weir.spring.reactive;

import dev.weir.engine.http.Problem;
import dev.weir.spring.RateLimitCostException;
import dev.weir.spring.RateLimitedException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Responds to a request whose method call was refused as the filter responds to a refused request. It is an advice of
 * controllers, before an application's handlers of all exceptions; and the last handler of everything else, such as
 * functional endpoints.
 */
@ControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE + 100)
final class RateLimitedAdvice implements WebExceptionHandler {
    private final ReactiveRefusal refusal;

    RateLimitedAdvice(ReactiveRefusal refusal) {
        this.refusal = refusal;
    }

    @ExceptionHandler
    Mono<Void> refused(RateLimitedException refused, ServerWebExchange exchange) {
        return LimitedExchange.refuse(exchange, refused.outcome(), refusal);
    }

    @ExceptionHandler
    Mono<Void> withoutCost(RateLimitCostException wrong, ServerWebExchange exchange) {
        return LimitedExchange.reject(exchange, Problem.badRequest(String.valueOf(wrong.getMessage())));
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        if (exchange.getResponse().isCommitted()) {
            return Mono.error(failure);
        }
        if (failure instanceof RateLimitedException refused) {
            return refused(refused, exchange);
        }
        return failure instanceof RateLimitCostException wrong ? withoutCost(wrong, exchange) : Mono.error(failure);
    }
}

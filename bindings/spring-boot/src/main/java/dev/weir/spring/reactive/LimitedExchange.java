package dev.weir.spring.reactive;

import dev.weir.engine.Outcome;
import dev.weir.engine.TwoStageCheck;
import dev.weir.engine.Weir;
import dev.weir.engine.http.HeaderName;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.http.Problem;
import dev.weir.engine.idempotency.IdempotencyKeys;
import dev.weir.engine.idempotency.StoredResponse;
import dev.weir.spring.method.WebCall;
import dev.weir.spring.web.AnswerMono;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** A limited exchange: its attributes, and the outcome that its response will show. */
final class LimitedExchange implements WebCall {
    private static final String NAME = LimitedExchange.class.getName();
    private static final String EXPOSE = "Access-Control-Expose-Headers";

    private final @Nullable Weir weir;
    private volatile Map<String, String> attributes = Map.of();
    private volatile @Nullable Outcome outcome;
    private volatile @Nullable TwoStageCheck stages;
    private volatile boolean isReplay;

    /** @param weir null for a request that the filter did not see */
    private LimitedExchange(@Nullable Weir weir) {
        this.weir = weir;
    }

    /** Starts the exchange. When the response is sent, it shows the outcome of that time. */
    static LimitedExchange begin(ServerWebExchange exchange, @Nullable Weir weir) {
        LimitedExchange limited = new LimitedExchange(weir);
        exchange.getAttributes().put(NAME, limited);
        exchange.getResponse()
                .beforeCommit(() -> limited.reportStatus(exchange.getResponse())
                        .then(Mono.fromRunnable(() -> limited.tell(exchange))));
        return limited;
    }

    static @Nullable LimitedExchange of(ServerWebExchange exchange) {
        return exchange.getAttribute(NAME);
    }

    /** Responds to a request that a limit refused. */
    static Mono<Void> refuse(ServerWebExchange exchange, Outcome refused, ReactiveRefusal refusal) {
        LimitedExchange known = of(exchange);
        LimitedExchange limited = known == null ? begin(exchange, null) : known;
        Outcome whole = limited.join(refused);
        exchange.getResponse().setStatusCode(HttpStatusCode.valueOf(HttpDecision.status(whole)));
        return refusal.write(exchange, whole);
    }

    /** Replays a stored response with the current state of the limits. It is no refusal, so it has no retry headers. */
    static Mono<Void> replay(ServerWebExchange exchange, StoredResponse stored, Outcome present) {
        LimitedExchange limited = of(exchange);
        if (limited != null) {
            limited.isReplay = true;
            limited.decide(present);
        }
        ServerHttpResponse response = exchange.getResponse();
        response.setStatusCode(HttpStatusCode.valueOf(stored.status()));
        response.getHeaders().set(IdempotencyKeys.REPLAYED, "true");
        stored.copyHeaders(response.getHeaders()::set, response.getHeaders()::add);
        String type = stored.contentType();
        byte[] body = stored.body();
        if (type == null && body.length == 0) {
            return response.setComplete();
        }
        return ReactiveRefusal.send(exchange, type == null ? "application/octet-stream" : type, body);
    }

    /** Responds to a request that cannot be checked. */
    static Mono<Void> reject(ServerWebExchange exchange, Problem problem) {
        exchange.getResponse().setStatusCode(HttpStatusCode.valueOf(problem.status()));
        if (problem.retryAfterSecs() > 0) {
            exchange.getResponse().getHeaders().set(HeaderName.RETRY_AFTER, Integer.toString(problem.retryAfterSecs()));
        }
        return ReactiveRefusal.send(exchange, HttpDecision.PROBLEM_TYPE, problem.document());
    }

    @Override
    public Map<String, String> attributes() {
        return attributes;
    }

    void know(Map<String, String> all) {
        attributes = Map.copyOf(all);
    }

    @Override
    public void decided(Outcome decision) {
        join(decision);
    }

    /** Replaces the previous outcome. The new one covers all limits. */
    void decide(Outcome whole) {
        outcome = whole;
    }

    /** The check that waits for its second stage; null if there is none. */
    @Nullable
    TwoStageCheck stages() {
        return stages;
    }

    void await(TwoStageCheck begun) {
        stages = begun;
    }

    /** Reports the status to limits that wait for it, before the response, which shows the result, is sent. */
    private Mono<Void> reportStatus(ServerHttpResponse response) {
        Outcome decided = outcome;
        if (weir == null || decided == null || !decided.awaitsStatus()) {
            return Mono.empty();
        }
        HttpStatusCode code = response.getStatusCode();
        int status = code == null ? HttpDecision.ALLOWED : code.value();
        return AnswerMono.of(weir.completeAsync(decided, status))
                .doOnNext(isGivenBack -> {
                    if (isGivenBack) {
                        outcome = decided.completed(status);
                    }
                })
                .then();
    }

    private synchronized Outcome join(Outcome decision) {
        Outcome earlier = outcome;
        Outcome whole = earlier == null ? decision : decision.after(earlier);
        outcome = whole;
        return whole;
    }

    private void tell(ServerWebExchange exchange) {
        Outcome told = outcome;
        if (told == null || told.isUntouched()) {
            return;
        }
        HttpHeaders headers = exchange.getResponse().getHeaders();
        HttpDecision.headers(told, System.currentTimeMillis(), (name, value) -> {
            if (!isReplay || !name.equals(HeaderName.RETRY_AFTER)) {
                headers.set(name, value);
            }
        });
        if (exchange.getRequest().getHeaders().getFirst("Origin") != null) {
            headers.add(EXPOSE, HttpDecision.EXPOSED);
        }
    }
}

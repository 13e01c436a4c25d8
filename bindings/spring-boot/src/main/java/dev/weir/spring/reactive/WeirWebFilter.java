package dev.weir.spring.reactive;

import dev.weir.Answer;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.TwoStageCheck;
import dev.weir.engine.Weir;
import dev.weir.engine.http.Problem;
import dev.weir.engine.idempotency.IdempotencyGate.Finding;
import dev.weir.engine.idempotency.IdempotentWork;
import dev.weir.spring.method.WebCall;
import dev.weir.spring.web.AnswerMono;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * A web filter that limits the requests of a reactive application. Each request is decided once. Its response carries
 * the rate-limit headers; a refused request gets a problem document (RFC 9457). With a {@linkplain #afterAuthentication
 * second filter} behind authentication, limits that need no user are decided before it. CORS preflight requests are
 * never charged. Nothing blocks. Thread-safe.
 */
public final class WeirWebFilter implements WebFilter, Ordered {
    /*
     * How one exchange passes the filters. The state is in a LimitedExchange, an attribute of the exchange.
     *
     * - One stage (no second filter, or no late attribute): the principal is resolved, and one check decides all
     *   limits.
     * - Two stages: the first filter checks the early limits and keeps the TwoStageCheck. The chain runs through
     *   authentication to the second filter, which finishes the check with the late attributes. If the second stage
     *   refuses, the charges of the first stage are given back, and the headers show the outcome of all limits.
     * - If the chain ends before the second filter (a failed login), doFinally leaves the check: the first charges
     *   stand.
     *
     * An exchange that already has a LimitedExchange is not decided again. So a forwarded or repeated exchange is
     * charged once.
     *
     * Idempotency runs where the decision is made: before the check of the only stage, or before the second stage. A
     * new key is begun before the check, so that two concurrent requests with one key are not both executed. It is
     * completed with the response, before the last bytes leave. It is abandoned on a refusal, an error, a cancellation,
     * and a request that cannot be checked. Ending it twice has no effect, so each path may end it. A replayed or
     * rejected request gives back the charges of the first stage.
     *
     * Threads: the filter's fields are final, except isInTwoStages, which is volatile and set once at setup. Decisions
     * that do not complete at once continue on a thread of Reactor, never on a thread of the store. Each Mono is
     * assembled per exchange, and Reactor runs its signals one after the other, so the state of an exchange needs no
     * lock.
     */

    private final Weir weir;
    private final ExchangeReader reader;
    private final ReactiveRefusal refusal;
    private final @Nullable ExchangeIdempotency idempotency;
    private final Predicate<ServerWebExchange> skips;
    private final int order;
    private volatile boolean isInTwoStages;

    private WeirWebFilter(Builder builder) {
        this.weir = builder.weir;
        this.reader = new ExchangeReader(weir, builder.extractors);
        this.refusal = builder.refusal;
        this.idempotency = builder.idempotency;
        this.skips = builder.skips;
        this.order = builder.order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (LimitedExchange.of(exchange) != null
                || CorsUtils.isPreFlightRequest(exchange.getRequest())
                || skips.test(exchange)) {
            return chain.filter(exchange);
        }
        return idempotency == null
                ? begin(exchange, chain)
                : idempotency.withBody(exchange).flatMap(read -> begin(read, chain));
    }

    private Mono<Void> begin(ServerWebExchange exchange, WebFilterChain chain) {
        LimitedExchange limited = LimitedExchange.begin(exchange, weir);
        Map<String, String> early = reader.early(exchange);
        limited.know(early);
        Mono<Void> decided = isInTwoStages && !reader.lateNames().isEmpty()
                ? inStages(exchange, chain, limited, early)
                : atOnce(exchange, chain, limited, early);
        return decided.contextWrite(context -> context.put(WebCall.class, limited));
    }

    /**
     * Returns the second filter, for use behind authentication. With it, limits that need the user are decided there.
     */
    WebFilter afterAuthentication(int secondOrder) {
        isInTwoStages = true;
        return new SecondStage(secondOrder);
    }

    private Mono<Void> atOnce(
            ServerWebExchange exchange, WebFilterChain chain, LimitedExchange limited, Map<String, String> early) {
        return reader.late(exchange).flatMap(late -> {
            Map<String, String> all = new HashMap<>(late);
            all.putAll(early);
            limited.know(all);
            return once(
                    exchange,
                    chain,
                    limited,
                    () -> weir.checkAsync(Request.of(all).reportingStatus()));
        });
    }

    /** Runs the check, unless the idempotency key is in flight or done. */
    private Mono<Void> once(
            ServerWebExchange exchange,
            WebFilterChain chain,
            LimitedExchange limited,
            Supplier<Answer<Outcome>> check) {
        if (idempotency == null) {
            return asked(exchange, check, outcome -> act(exchange, chain, limited, outcome));
        }
        return AnswerMono.of(idempotency.find(exchange, limited.attributes())).flatMap(finding -> {
            if (finding instanceof Finding.Fresh fresh) {
                return fresh(exchange, chain, limited, check, fresh.work());
            }
            if (finding instanceof Finding.Known known) {
                return withdraw(limited)
                        .then(Mono.defer(() -> AnswerMono.of(weir.peekAsync(Request.of(limited.attributes())))))
                        .flatMap(present -> LimitedExchange.replay(exchange, known.response(), present));
            }
            if (finding instanceof Finding.Rejected rejected) {
                return withdraw(limited).then(Mono.defer(() -> LimitedExchange.reject(exchange, rejected.problem())));
            }
            return asked(exchange, check, outcome -> act(exchange, chain, limited, outcome));
        });
    }

    /** Executes the request under its key. The key is free again unless the response is stored. */
    private Mono<Void> fresh(
            ServerWebExchange exchange,
            WebFilterChain chain,
            LimitedExchange limited,
            Supplier<Answer<Outcome>> check,
            IdempotentWork work) {
        CapturedResponse captured = new CapturedResponse(exchange.getResponse(), work);
        ServerWebExchange capturing = exchange.mutate().response(captured).build();
        return asked(exchange, check, outcome -> {
                    if (!outcome.allowed()) {
                        return abandon(work).then(Mono.defer(() -> act(exchange, chain, limited, outcome)));
                    }
                    return act(capturing, chain, limited, outcome).then(captured.remember());
                })
                .onErrorResume(failure -> abandon(work).then(Mono.error(failure)))
                .doOnCancel(() -> abandon(work).subscribe())
                // Frees the key of a request that could not be checked.
                .then(abandon(work));
    }

    private static Mono<Void> abandon(IdempotentWork work) {
        return Mono.defer(() -> AnswerMono.of(work.abandon())).then();
    }

    /** Gives back the charges of the first stage, for a request that is not executed. */
    private static Mono<Boolean> withdraw(LimitedExchange limited) {
        TwoStageCheck begun = limited.stages();
        return begun == null ? Mono.just(true) : AnswerMono.of(begun.giveBack());
    }

    private Mono<Void> inStages(
            ServerWebExchange exchange, WebFilterChain chain, LimitedExchange limited, Map<String, String> early) {
        return asked(
                exchange, () -> weir.checkInStages(Request.of(early).reportingStatus(), reader.lateNames()), check -> {
                    limited.await(check);
                    // An unauthenticated request never reaches the second filter: its first charges stand.
                    return act(exchange, chain, limited, check.first()).doFinally(end -> check.leave());
                });
    }

    private Mono<Void> act(ServerWebExchange exchange, WebFilterChain chain, LimitedExchange limited, Outcome outcome) {
        if (!outcome.allowed()) {
            // The outcome covers all limits and replaces that of the first filter.
            limited.decide(outcome);
            return LimitedExchange.refuse(exchange, outcome, refusal);
        }
        limited.decide(outcome);
        return chain.filter(exchange);
    }

    /** Continues with the answer. Responds with 400 if the request cannot be checked. */
    private static <T> Mono<Void> asked(
            ServerWebExchange exchange, Supplier<Answer<T>> question, Function<T, Mono<Void>> next) {
        Answer<T> answer;
        try {
            answer = question.get();
        } catch (IllegalArgumentException e) {
            return LimitedExchange.reject(exchange, Problem.badRequest(String.valueOf(e.getMessage())));
        }
        return AnswerMono.of(answer).flatMap(next);
    }

    /** Decides the remaining limits, behind authentication. The user may still be unknown. */
    private final class SecondStage implements WebFilter, Ordered {
        private final int secondOrder;

        SecondStage(int secondOrder) {
            this.secondOrder = secondOrder;
        }

        @Override
        public int getOrder() {
            return secondOrder;
        }

        @Override
        public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
            LimitedExchange limited = LimitedExchange.of(exchange);
            TwoStageCheck check = limited == null ? null : limited.stages();
            if (limited == null || check == null) {
                return chain.filter(exchange);
            }
            return reader.late(exchange).flatMap(late -> {
                Map<String, String> all = new HashMap<>(late);
                all.putAll(limited.attributes());
                limited.know(all);
                return once(exchange, chain, limited, () -> check.finish(late));
            });
        }
    }

    /**
     * Builder. Not thread-safe. Each injection of the bean of this type is a new builder, with the attributes, the refusal
     * and the customizers of the application.
     */
    public static final class Builder {
        private final Weir weir;
        private final int order;
        private final Map<String, ExchangeExtractor> extractors = new LinkedHashMap<>();
        private ReactiveRefusal refusal = ReactiveRefusal.PROBLEM;
        private @Nullable ExchangeIdempotency idempotency;
        private Predicate<ServerWebExchange> skips = exchange -> false;

        Builder(Weir weir, int order) {
            this.weir = weir;
            this.order = order;
        }

        /** Sets the source of an attribute. */
        public Builder attribute(String name, ExchangeExtractor extractor) {
            extractors.put(name, extractor);
            return this;
        }

        /** Sets the response to refused requests. */
        public Builder onRefusal(ReactiveRefusal newRefusal) {
            refusal = newRefusal;
            return this;
        }

        Builder idempotency(ExchangeIdempotency newIdempotency) {
            idempotency = newIdempotency;
            return this;
        }

        /** Excludes more requests from limits. */
        public Builder skipping(Predicate<ServerWebExchange> more) {
            skips = skips.or(more);
            return this;
        }

        /** Returns a new filter. */
        public WeirWebFilter build() {
            return new WeirWebFilter(this);
        }
    }
}

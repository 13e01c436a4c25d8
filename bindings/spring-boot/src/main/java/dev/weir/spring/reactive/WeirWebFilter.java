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
 * Limits the requests of a reactive application: each is decided once, its response tells how the limits stand, and one
 * that is refused gets a problem document. With a {@linkplain #afterAuthentication second filter} behind authentication,
 * limits that need no user act before it. Preflights of browsers are never charged, and nothing blocks.
 */
public final class WeirWebFilter implements WebFilter, Ordered {
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

    /** The second filter, behind authentication: with it, what needs the user waits until it is known. */
    WebFilter afterAuthentication(int secondOrder) {
        isInTwoStages = true;
        return new Second(secondOrder);
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

    /** Decides, unless the request was done before. */
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

    /** Does the work under its key, which is free again whatever else becomes of it. */
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
                // Of a request that could not be asked about.
                .then(abandon(work));
    }

    private static Mono<Void> abandon(IdempotentWork work) {
        return Mono.defer(() -> AnswerMono.of(work.abandon())).then();
    }

    /** Gives back what the first stage took, for a request that is not done. */
    private static Mono<Boolean> withdraw(LimitedExchange limited) {
        TwoStageCheck begun = limited.stages();
        return begun == null ? Mono.just(true) : AnswerMono.of(begun.giveBack());
    }

    private Mono<Void> inStages(
            ServerWebExchange exchange, WebFilterChain chain, LimitedExchange limited, Map<String, String> early) {
        return asked(
                exchange, () -> weir.checkInStages(Request.of(early).reportingStatus(), reader.lateNames()), check -> {
                    limited.await(check);
                    // A request that is not authenticated never reaches the second filter: what was spent stays spent.
                    return act(exchange, chain, limited, check.first()).doFinally(end -> check.leave());
                });
    }

    private Mono<Void> act(ServerWebExchange exchange, WebFilterChain chain, LimitedExchange limited, Outcome outcome) {
        if (!outcome.allowed()) {
            // It is of all limits together: what the first filter told is told anew.
            limited.decide(outcome);
            return LimitedExchange.refuse(exchange, outcome, refusal);
        }
        limited.decide(outcome);
        return chain.filter(exchange);
    }

    /** Goes on with the answer, or says what is wrong with a question that cannot be asked. */
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

    /** Decides the rest, now that the user is known, as far as it ever will be. */
    private final class Second implements WebFilter, Ordered {
        private final int secondOrder;

        Second(int secondOrder) {
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

    /** Builder. Not thread-safe. */
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

        /** Where the value of an attribute is found. */
        public Builder attribute(String name, ExchangeExtractor extractor) {
            extractors.put(name, extractor);
            return this;
        }

        /** Answers refused requests in another way. */
        public Builder onRefusal(ReactiveRefusal newRefusal) {
            refusal = newRefusal;
            return this;
        }

        Builder idempotency(ExchangeIdempotency newIdempotency) {
            idempotency = newIdempotency;
            return this;
        }

        /** Lets more requests pass untouched. */
        public Builder skipping(Predicate<ServerWebExchange> more) {
            skips = skips.or(more);
            return this;
        }

        WeirWebFilter build() {
            return new WeirWebFilter(this);
        }
    }
}

package dev.weir.spring.method;

import dev.weir.Answer;
import dev.weir.engine.Outcome;
import dev.weir.spring.web.AnswerMono;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/** Limits methods that return publishers, at each subscription, before the method is called. Requires Reactor. */
final class ReactiveCalls {
    private final ReactiveAdapterRegistry adapters = ReactiveAdapterRegistry.getSharedInstance();

    boolean isReactive(Class<?> type) {
        return Publisher.class.isAssignableFrom(type) && adapters.getAdapter(type) != null;
    }

    Object limit(RateLimitedInterceptor interceptor, MethodInvocation invocation) {
        ReactiveAdapter adapter = adapters.getAdapter(invocation.getMethod().getReturnType());
        if (adapter == null) {
            throw new IllegalStateException("the return type is not reactive");
        }
        return adapter.fromPublisher(
                adapter.isMultiValue()
                        ? Flux.deferContextual(context -> {
                            LimitedInvocation call = interceptor.limited(invocation, webCall(context));
                            return AnswerMono.of(call.ask())
                                    .flatMapMany(outcome -> many(call, outcome, invocation, adapter));
                        })
                        : Mono.deferContextual(context -> {
                            LimitedInvocation call = interceptor.limited(invocation, webCall(context));
                            return AnswerMono.of(call.ask())
                                    .flatMap(outcome -> one(call, outcome, invocation, adapter));
                        }));
    }

    private static Flux<Object> many(
            LimitedInvocation call, Outcome outcome, MethodInvocation invocation, ReactiveAdapter adapter) {
        Flux<Object> all = Flux.from(publisher(call, outcome, invocation, adapter));
        return call.awaitsResult()
                ? all.onErrorResume(failure -> ended(call, null, failure).then(Mono.error(failure)))
                        .concatWith(Mono.defer(() -> ended(call, null, null).then(Mono.empty())))
                : all;
    }

    private static Mono<Object> one(
            LimitedInvocation call, Outcome outcome, MethodInvocation invocation, ReactiveAdapter adapter) {
        Mono<Object> one = Mono.from(publisher(call, outcome, invocation, adapter));
        return call.awaitsResult()
                ? one.onErrorResume(failure -> ended(call, null, failure).then(Mono.error(failure)))
                        .flatMap(result -> ended(call, result, null).thenReturn(result))
                        .switchIfEmpty(Mono.defer(() -> ended(call, null, null).then(Mono.empty())))
                : one;
    }

    private static Mono<Boolean> ended(LimitedInvocation call, @Nullable Object result, @Nullable Throwable failure) {
        return Mono.defer(() -> AnswerMono.of(call.ended(result, failure)));
    }

    private static @Nullable WebCall webCall(ContextView context) {
        return context.<WebCall>getOrEmpty(WebCall.class).orElse(null);
    }

    /** Whether this is a thread of an event loop, which must not block. */
    static boolean mustNotWait() {
        return Schedulers.isInNonBlockingThread();
    }

    /** Continues after the decision, in a thread that belongs neither to the store nor to a connection. */
    static CompletableFuture<?> later(Answer<Outcome> answer, Function<Outcome, CompletableFuture<?>> next) {
        return AnswerMono.of(answer)
                .publishOn(Schedulers.parallel())
                .<Object>flatMap(outcome -> Mono.fromFuture(next.apply(outcome)))
                .toFuture();
    }

    /**
     * Returns the publisher of the method or of its fallback. A clone per subscription, as an invocation proceeds once.
     */
    private static Publisher<Object> publisher(
            LimitedInvocation call, Outcome outcome, MethodInvocation invocation, ReactiveAdapter adapter) {
        try {
            Object result = call.isAdmitted(outcome)
                    ? ((ProxyMethodInvocation) invocation).invocableClone().proceed()
                    : call.refuse(outcome);
            return result == null ? Flux.empty() : adapter.toPublisher(result);
        } catch (Throwable e) {
            return Flux.error(e);
        }
    }
}

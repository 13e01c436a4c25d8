package dev.weir.spring.method;

import dev.weir.Answer;
import dev.weir.engine.Outcome;
import dev.weir.spring.web.AnswerMono;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/** Limits methods that return publishers: at each subscription, before the method is called. Only where Reactor is. */
final class ReactiveCalls {
    private final ReactiveAdapterRegistry adapters = ReactiveAdapterRegistry.getSharedInstance();

    boolean isReactive(Class<?> type) {
        return Publisher.class.isAssignableFrom(type) && adapters.getAdapter(type) != null;
    }

    Object limit(RateLimitedInterceptor interceptor, MethodInvocation invocation) {
        ReactiveAdapter adapter = adapters.getAdapter(invocation.getMethod().getReturnType());
        if (adapter == null) {
            throw new IllegalStateException("asked of what is not reactive");
        }
        return adapter.fromPublisher(
                adapter.isMultiValue()
                        ? Flux.deferContextual(context ->
                                admitted(interceptor, invocation, context).thenMany(proceed(invocation, adapter)))
                        : Mono.deferContextual(context -> admitted(interceptor, invocation, context)
                                .then(Mono.from(proceed(invocation, adapter)))));
    }

    /** Whether this thread serves many, and waits for none. */
    static boolean mustNotWait() {
        return Schedulers.isInNonBlockingThread();
    }

    /** Goes on when the answer is here, in a thread that belongs neither to the store nor to one connection. */
    static CompletableFuture<?> later(Answer<Outcome> answer, Function<Outcome, CompletableFuture<?>> next) {
        return AnswerMono.of(answer)
                .publishOn(Schedulers.parallel())
                .<Object>flatMap(outcome -> Mono.fromFuture(next.apply(outcome)))
                .toFuture();
    }

    private static Mono<Void> admitted(
            RateLimitedInterceptor interceptor, MethodInvocation invocation, ContextView context) {
        WebCall call = context.<WebCall>getOrEmpty(WebCall.class).orElse(null);
        return AnswerMono.of(interceptor.ask(invocation, call))
                .doOnNext(outcome -> RateLimitedInterceptor.admit(outcome, call))
                .then();
    }

    /** Called anew at each subscription: an invocation goes its way once. */
    private static Publisher<Object> proceed(MethodInvocation invocation, ReactiveAdapter adapter) {
        return Flux.defer(() -> {
            try {
                Object result =
                        ((ProxyMethodInvocation) invocation).invocableClone().proceed();
                return result == null ? Flux.empty() : adapter.toPublisher(result);
            } catch (Throwable e) {
                return Flux.error(e);
            }
        });
    }
}

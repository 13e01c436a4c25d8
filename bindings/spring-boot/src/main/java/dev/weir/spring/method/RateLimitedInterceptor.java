package dev.weir.spring.method;

import dev.weir.Answer;
import dev.weir.DirectStore;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.spring.RateLimitedException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * Asks before a method is called. A thread that may wait does so while a store that is elsewhere is asked; an event loop
 * never waits.
 */
final class RateLimitedInterceptor implements MethodInterceptor {
    /** Longer than any decision takes: the engine answers in its own time. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final ParameterNameDiscoverer PARAMETERS = new DefaultParameterNameDiscoverer();

    private final Supplier<Weir> weir;
    private final Supplier<WebCalls> calls;
    private final BeanFactory beans;
    private final @Nullable ReactiveCalls reactive;
    private final Map<Method, MethodLimits> known = new ConcurrentHashMap<>();

    /** @param weir asked for at the first call, as beans with limits may be made before it */
    RateLimitedInterceptor(
            Supplier<Weir> weir, Supplier<WebCalls> calls, BeanFactory beans, @Nullable ReactiveCalls reactive) {
        this.weir = weir;
        this.calls = calls;
        this.beans = beans;
        this.reactive = reactive;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Class<?> returned = invocation.getMethod().getReturnType();
        if (reactive != null && reactive.isReactive(returned)) {
            return reactive.limit(this, invocation);
        }
        if (CompletionStage.class.isAssignableFrom(returned) && returned.isAssignableFrom(CompletableFuture.class)) {
            return stage(invocation);
        }
        WebCall call = calls.get().current();
        mayWaitHere(invocation);
        admit(ask(invocation, call).await(PATIENCE), call);
        return invocation.proceed();
    }

    /** Asks whether the method may be called. */
    Answer<Outcome> ask(MethodInvocation invocation, @Nullable WebCall call) {
        Object target = invocation.getThis();
        Method method = target == null
                ? invocation.getMethod()
                : AopUtils.getMostSpecificMethod(invocation.getMethod(), AopUtils.getTargetClass(target));
        MethodLimits limits = known.computeIfAbsent(method, MethodLimits::of);
        // Of a bean that has no target there is nothing to see.
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
                target == null ? Map.of() : target, method, invocation.getArguments(), PARAMETERS);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        Weir engine = weir.get();
        if (!engine.configuration().enabled()) {
            return Answer.of(engine.check(Map.of()));
        }
        Request request = limits.request(engine.configuration(), call == null ? Map.of() : call.attributes(), context);
        try {
            return engine.checkAsync(request, limits.names());
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "a call of " + method.getDeclaringClass().getSimpleName() + "." + method.getName()
                            + " cannot be limited: " + e.getMessage(),
                    e);
        }
    }

    /** @throws RateLimitedException if it is refused */
    static void admit(Outcome outcome, @Nullable WebCall call) {
        if (!outcome.allowed()) {
            throw new RateLimitedException(outcome);
        }
        if (call != null) {
            call.decided(outcome);
        }
    }

    private CompletableFuture<?> stage(MethodInvocation invocation) {
        try {
            WebCall call = calls.get().current();
            Answer<Outcome> answer = ask(invocation, call);
            if (reactive != null && !answer.isDone() && ReactiveCalls.mustNotWait()) {
                return ReactiveCalls.later(answer, outcome -> {
                    admit(outcome, call);
                    return proceed(invocation);
                });
            }
            admit(answer.await(PATIENCE), call);
            return proceed(invocation);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletableFuture<?> proceed(MethodInvocation invocation) {
        try {
            CompletionStage<?> result = (CompletionStage<?>) invocation.proceed();
            return result == null ? CompletableFuture.completedFuture(null) : result.toCompletableFuture();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Asked before anything is spent. */
    private void mayWaitHere(MethodInvocation invocation) {
        if (reactive != null
                && ReactiveCalls.mustNotWait()
                && !(weir.get().store().bare() instanceof DirectStore)) {
            Method method = invocation.getMethod();
            throw new IllegalStateException(method.getDeclaringClass().getSimpleName() + "." + method.getName()
                    + " is limited and would wait for the store on an event loop; let it return a Mono, a Flux or a"
                    + " CompletableFuture");
        }
    }
}

package dev.weir.spring.method;

import dev.weir.Answer;
import dev.weir.DirectStore;
import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
import org.springframework.core.MethodClassKey;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * Checks the limits before a method is called. A thread that may block waits while a remote store decides; an event
 * loop never waits.
 */
final class RateLimitedInterceptor implements MethodInterceptor {
    /** Upper bound of the wait for a decision. The engine has its own, shorter timeouts. */
    private static final Duration DECISION_TIMEOUT = Duration.ofMinutes(5);

    private static final ParameterNameDiscoverer PARAMETERS = new DefaultParameterNameDiscoverer();

    private final Supplier<Weir> weir;
    private final Supplier<WebCalls> calls;
    private final BeanFactory beans;
    private final @Nullable ReactiveCalls reactive;
    private final Map<MethodClassKey, MethodLimits> known = new ConcurrentHashMap<>();

    /** @param weir resolved at the first call, as beans with limits may be created before it */
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
        mayWaitHere(invocation);
        LimitedInvocation call = limited(invocation, calls.get().current());
        Outcome outcome = call.ask().await(DECISION_TIMEOUT);
        return call.isAdmitted(outcome) ? proceed(call, invocation) : call.refuse(outcome);
    }

    /** Returns a call with the limits of its annotations. */
    LimitedInvocation limited(MethodInvocation invocation, @Nullable WebCall call) {
        Object target = invocation.getThis();
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
        Method method = AopUtils.getMostSpecificMethod(invocation.getMethod(), type);
        MethodLimits limits =
                known.computeIfAbsent(new MethodClassKey(method, type), key -> MethodLimits.of(method, type));
        // For a bean without a target, expressions have an empty root object.
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
                target == null ? Map.of() : target, method, invocation.getArguments(), PARAMETERS);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return new LimitedInvocation(weir.get(), invocation, method, limits, context, call);
    }

    private static @Nullable Object proceed(LimitedInvocation call, MethodInvocation invocation) throws Throwable {
        Object result;
        try {
            result = invocation.proceed();
        } catch (Throwable failure) {
            try {
                call.ended(null, failure).await(DECISION_TIMEOUT);
            } catch (IllegalStateException wrong) {
                failure.addSuppressed(wrong);
            }
            throw failure;
        }
        call.ended(result, null).await(DECISION_TIMEOUT);
        return result;
    }

    private CompletableFuture<?> stage(MethodInvocation invocation) {
        try {
            LimitedInvocation call = limited(invocation, calls.get().current());
            Answer<Outcome> answer = call.ask();
            if (reactive != null && !answer.isDone() && ReactiveCalls.mustNotWait()) {
                return ReactiveCalls.later(answer, outcome -> stage(call, outcome, invocation));
            }
            return stage(call, answer.await(DECISION_TIMEOUT), invocation);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletableFuture<?> stage(LimitedInvocation call, Outcome outcome, MethodInvocation invocation) {
        CompletableFuture<?> result;
        try {
            boolean isAdmitted = call.isAdmitted(outcome);
            CompletionStage<?> made = (CompletionStage<?>) (isAdmitted ? invocation.proceed() : call.refuse(outcome));
            result = made == null ? CompletableFuture.completedFuture(null) : made.toCompletableFuture();
        } catch (Throwable e) {
            result = CompletableFuture.failedFuture(e);
        }
        return call.awaitsResult() ? ended(call, result) : result;
    }

    /** Returns the same result, completed after the charge is settled. */
    private static CompletableFuture<?> ended(LimitedInvocation call, CompletableFuture<?> result) {
        CompletableFuture<@Nullable Object> whole = new CompletableFuture<>();
        var unused = result.whenComplete((value, failure) -> {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            try {
                call.ended(value, cause).whenDone((done, gone) -> complete(whole, value, failure));
            } catch (IllegalStateException wrong) {
                complete(whole, value, failure == null ? wrong : failure);
            }
        });
        return whole;
    }

    private static void complete(
            CompletableFuture<@Nullable Object> whole, @Nullable Object value, @Nullable Throwable failure) {
        if (failure == null) {
            whole.complete(value);
        } else {
            whole.completeExceptionally(failure);
        }
    }

    /** Throws if this thread must not wait. Called before anything is spent. */
    private void mayWaitHere(MethodInvocation invocation) {
        if (reactive != null
                && ReactiveCalls.mustNotWait()
                && !(weir.get().store().delegate() instanceof DirectStore)) {
            Method method = invocation.getMethod();
            throw new IllegalStateException(method.getDeclaringClass().getSimpleName() + "." + method.getName()
                    + " is limited and would wait for the store on an event loop; it must return a Mono, a Flux or a"
                    + " CompletableFuture");
        }
    }
}

package dev.weir.spring.method;

import dev.weir.Answer;
import dev.weir.Settlement;
import dev.weir.engine.Hold;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.remote.Answers;
import dev.weir.spring.RateLimitedException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;

/** One call of a limited method: whether it may happen, what happens if not, and what it costs in the end. */
final class LimitedInvocation {
    /** How long a call may take whose result says whether it is charged; after that the charge stands. */
    private static final Duration RESULT_WAIT = Duration.ofHours(1);

    private final Weir weir;
    private final MethodInvocation invocation;
    private final Method method;
    private final MethodLimits limits;
    private final MethodBasedEvaluationContext context;
    private final @Nullable WebCall call;
    /** Under which the charge is held until the result is known; null if nothing is. */
    private volatile @Nullable String hold;

    /** @param call the web request that makes the call; null if none does */
    LimitedInvocation(
            Weir weir,
            MethodInvocation invocation,
            Method method,
            MethodLimits limits,
            MethodBasedEvaluationContext context,
            @Nullable WebCall call) {
        this.weir = weir;
        this.invocation = invocation;
        this.method = method;
        this.limits = limits;
        this.context = context;
        this.call = call;
    }

    /** Asks whether the method may be called. */
    Answer<Outcome> ask() {
        if (!weir.configuration().enabled()) {
            return Answer.of(weir.check(Map.of()));
        }
        Request request = limits.request(weir.configuration(), call == null ? Map.of() : call.attributes(), context);
        try {
            return limits.chargeByResult()
                    ? Answers.map(weir.reserveAsync(request, limits.names(), RESULT_WAIT), this::held)
                    : weir.checkAsync(request, limits.names());
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "a call of " + method.getDeclaringClass().getSimpleName() + "." + method.getName()
                            + " cannot be limited: " + e.getMessage(),
                    e);
        }
    }

    private Outcome held(Hold held) {
        hold = held.id();
        return held.outcome();
    }

    /** Whether the call may happen, of which the response of a web request tells. */
    boolean isAdmitted(Outcome outcome) {
        if (outcome.allowed() && call != null) {
            call.decided(outcome);
        }
        return outcome.allowed();
    }

    /**
     * What a refused call returns.
     *
     * @throws RateLimitedException if there is no fallback
     */
    @Nullable
    Object refuse(Outcome outcome) throws Throwable {
        RateLimitedException refused = new RateLimitedException(outcome);
        Fallback fallback = limits.fallback();
        if (fallback == null) {
            throw refused;
        }
        return fallback.call(invocation.getThis(), invocation.getArguments(), refused);
    }

    /** Whether the result is waited for. */
    boolean awaitsResult() {
        return hold != null;
    }

    /**
     * Ends the charge of a call that has ended. What cannot be given back, as the store does not answer, stays spent.
     *
     * @throws IllegalStateException if an expression is wrong; the charge stands
     */
    Answer<Boolean> ended(@Nullable Object result, @Nullable Throwable failure) {
        String held = hold;
        if (held == null) {
            return Answer.of(true);
        }
        context.setVariable("result", result);
        context.setVariable("exception", failure);
        return Answers.then(
                weir.settleAsync(held, limits.uncharged(context)),
                done -> Answer.of(done == Settlement.DONE),
                gone -> Answer.of(false));
    }
}

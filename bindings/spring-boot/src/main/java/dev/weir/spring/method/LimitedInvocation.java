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

/** One call of a limited method: its admission, its fallback if refused, and its final charge. */
final class LimitedInvocation {
    /** How long a call may take whose result decides about the charge; after that the charge stands. */
    private static final Duration RESULT_WAIT = Duration.ofHours(1);

    private final Weir weir;
    private final MethodInvocation invocation;
    private final Method method;
    private final MethodLimits limits;
    private final MethodBasedEvaluationContext context;
    private final @Nullable WebCall call;
    /** The id of the hold on the charge until the result is known; null if there is none. */
    private volatile @Nullable String hold;

    /** @param call the web request that makes the call; null if there is none */
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

    /** Checks whether the method may be called. */
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

    /** Whether the call may happen. The response of a web request gets the outcome. */
    boolean isAdmitted(Outcome outcome) {
        if (outcome.allowed() && call != null) {
            call.decided(outcome);
        }
        return outcome.allowed();
    }

    /**
     * Returns the result of a refused call.
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

    /** Whether the charge depends on the result. */
    boolean awaitsResult() {
        return hold != null;
    }

    /**
     * Settles the charge of a call that has ended. If the store fails, the charge stands.
     *
     * @throws IllegalStateException if an expression fails; the charge stands
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

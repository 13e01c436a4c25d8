package dev.weir.spring;

import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A call that its limits refused; nothing was spent, and it did not happen. In a web request it is answered like a request
 * that is refused: 429, with the same headers and document. It has no stack trace: refusals must be cheap.
 */
public final class RateLimitedException extends RuntimeException {
    private final transient Outcome outcome;

    public RateLimitedException(Outcome outcome) {
        super(message(outcome), null, false, false);
        this.outcome = outcome;
    }

    /** What the limits said. */
    public Outcome outcome() {
        return outcome;
    }

    /** How long to wait; null if waiting does not help. */
    public @Nullable Duration retryAfter() {
        return outcome.retryAfter();
    }

    /** Says nothing of whom it is about. */
    private static String message(Outcome outcome) {
        LimitResult decisive = outcome.decisive();
        Duration wait = outcome.retryAfter();
        return (decisive == null ? "refused" : "refused by the limit '" + decisive.name() + "'")
                + switch (outcome.reason()) {
                    case UNAVAILABLE -> ": the store does not answer";
                    case IMPOSSIBLE ->
                        outcome.missing().isEmpty()
                                ? ": the cost is above its capacity"
                                : ": the request lacks " + String.join(", ", outcome.missing());
                    default -> "";
                }
                + (wait == null ? "" : "; retry after " + wait.toMillis() + " ms");
    }
}

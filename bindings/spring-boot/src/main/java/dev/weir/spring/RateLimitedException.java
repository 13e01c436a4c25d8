package dev.weir.spring;

import dev.weir.DurationText;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when limits refuse a call. Nothing was charged, and the method was not called. In a web request it becomes the
 * same response as a refused request: 429, with the same headers and document. It has no stack trace, as refusals must
 * be cheap.
 */
public final class RateLimitedException extends RuntimeException {
    private final transient Outcome outcome;

    public RateLimitedException(Outcome outcome) {
        super(message(outcome), null, false, false);
        this.outcome = outcome;
    }

    /** The outcome of the decision. */
    public Outcome outcome() {
        return outcome;
    }

    /** How long to wait; null if waiting does not help. */
    public @Nullable Duration retryAfter() {
        return outcome.retryAfter();
    }

    /** Returns a message that does not name the subject. */
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
                + (wait == null ? "" : "; retry after " + DurationText.of(wait));
    }
}

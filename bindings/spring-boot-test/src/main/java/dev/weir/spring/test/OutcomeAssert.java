package dev.weir.spring.test;

import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import java.time.Duration;
import java.util.Objects;
import org.assertj.core.api.AbstractAssert;

/** Assertions about an {@link Outcome}. */
public final class OutcomeAssert extends AbstractAssert<OutcomeAssert, Outcome> {
    private OutcomeAssert(Outcome actual) {
        super(actual, OutcomeAssert.class);
    }

    public static OutcomeAssert assertThat(Outcome actual) {
        return new OutcomeAssert(actual);
    }

    public OutcomeAssert isAllowed() {
        isNotNull();
        if (!actual.allowed()) {
            failWithMessage("Expected the request to be allowed, but it was %s", actual);
        }
        return this;
    }

    /** Asserts that the limit of this name refused, and is the one that clients see. */
    public OutcomeAssert isRefusedBy(String limit) {
        isNotNull();
        LimitResult decisive = actual.decisive();
        if (actual.allowed() || decisive == null || !decisive.name().equals(limit)) {
            failWithMessage("Expected the request to be refused by '%s', but it was %s", limit, actual);
        }
        return this;
    }

    /** Asserts that the limit of this name applied and has this much left. */
    public OutcomeAssert hasRemaining(String limit, long remaining) {
        isNotNull();
        long found = actual.limits().stream()
                .filter(result -> result.name().equals(limit))
                .mapToLong(LimitResult::remaining)
                .findFirst()
                .orElseThrow(
                        () -> failure("Expected the limit '%s' to apply, but there was %s", limit, actual.limits()));
        if (found != remaining) {
            failWithMessage("Expected %s left of '%s', but there were %s", remaining, limit, found);
        }
        return this;
    }

    /** Asserts that the same request fits after this wait. */
    public OutcomeAssert fitsAfter(Duration wait) {
        isNotNull();
        if (!Objects.equals(actual.retryAfter(), wait)) {
            failWithMessage("Expected a wait of %s, but it was %s", wait, actual.retryAfter());
        }
        return this;
    }
}

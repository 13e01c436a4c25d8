package dev.weir.engine;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Reading;
import dev.weir.Store;
import dev.weir.Streak;
import dev.weir.engine.config.PenaltyRule;
import java.time.Duration;
import java.util.List;

/**
 * Progressive backoff: violations in a row, counted in the store so that all nodes agree.
 *
 * <p>The wait that a violator is told is at least the step of the backoff that its count has reached, never less than
 * the true wait, in whole seconds.
 */
final class Penalties {
    private static final String SCOPE = "weir.penalty";

    private final PenaltyRule rule;
    private final Streak streak;
    private final Store store;
    private final Duration deadline;

    Penalties(PenaltyRule rule, Store store, Duration deadline) {
        this.rule = rule;
        this.streak = new Streak(rule.resetAfter());
        this.store = store;
        this.deadline = deadline;
    }

    /** Counts a violation and answers how many in a row it makes. */
    long violate(List<String> offender) {
        return count(store.consume(List.of(charge(offender))).await(deadline).reading(0));
    }

    Standing standing(List<String> offender) {
        Reading reading = store.peek(List.of(charge(offender))).await(deadline).reading(0);
        return new Standing(count(reading), reading.resetAfter());
    }

    /** How long the backoff of so many violations in a row is. */
    Duration backoff(long violations) {
        if (violations < 1) {
            return Duration.ZERO;
        }
        return rule.backoff().get((int) Math.min(violations, rule.backoff().size()) - 1);
    }

    /** What a violator is told to wait. */
    Duration wait(long violations, Duration trueWait) {
        Duration wait = trueWait.compareTo(backoff(violations)) > 0 ? trueWait : backoff(violations);
        return Duration.ofSeconds(wait.plusNanos(999_999_999).toSeconds());
    }

    /** How much of the backoff is left, for one whose violations will be forgotten in so long. */
    Duration backoffLeft(Standing standing) {
        Duration sinceLast = rule.resetAfter().minus(standing.clearsAfter());
        Duration left = backoff(standing.consecutiveViolations()).minus(sinceLast);
        return left.isNegative() ? Duration.ZERO : left;
    }

    boolean enforces() {
        return rule.enforce();
    }

    private Charge charge(List<String> offender) {
        return Charge.of(Key.of(SCOPE, offender), streak);
    }

    private long count(Reading reading) {
        return streak.capacity() - reading.remaining();
    }
}

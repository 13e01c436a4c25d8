package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Reading;
import dev.weir.Streak;
import dev.weir.engine.config.PenaltyRule;
import dev.weir.engine.guard.GuardedStore;
import dev.weir.remote.Answers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Progressive backoff: counts consecutive violations in the store, so that all nodes agree.
 *
 * <p>The wait that is reported to a violator is at least the backoff step of its count and at least the true wait, in
 * whole seconds.
 */
final class Penalties {
    /** Contains a character that no limit has in its name. */
    private static final String SCOPE = "weir:penalty";

    private final PenaltyRule rule;
    private final Streak streak;
    private final GuardedStore store;

    Penalties(PenaltyRule rule, GuardedStore store) {
        this.rule = rule;
        this.streak = new Streak(rule.resetAfter());
        this.store = store;
    }

    /** Counts a violation and returns the number of consecutive violations. */
    Answer<Long> violate(List<String> penaltySubject) {
        return Answers.map(
                store.consume(List.of(charge(penaltySubject)), false), decision -> count(decision.reading(0)));
    }

    Answer<PenaltyState> penaltyState(List<String> penaltySubject) {
        return Answers.map(store.peek(List.of(charge(penaltySubject))), decision -> penaltyState(decision.reading(0)));
    }

    /** The penalty states of several subjects, in one call of the store. */
    Answer<List<PenaltyState>> penaltyStates(List<List<String>> offenders) {
        return Answers.map(store.peek(offenders.stream().map(this::charge).toList()), decision -> {
            List<PenaltyState> penaltyStates = new ArrayList<>();
            decision.readings().forEach(reading -> penaltyStates.add(penaltyState(reading)));
            return penaltyStates;
        });
    }

    /** The key under which the violations of a subject are counted. */
    Key key(List<String> penaltySubject) {
        if (penaltySubject.size() != rule.per().size()) {
            throw new IllegalArgumentException("the subject has " + penaltySubject.size()
                    + " values; it needs one for each of " + String.join(", ", rule.per()));
        }
        return Key.of(SCOPE, penaltySubject);
    }

    /** The wait that is reported to a violator. */
    Duration wait(long violations, Duration trueWait) {
        Duration backoff = backoff(violations);
        return wholeSeconds(trueWait.compareTo(backoff) > 0 ? trueWait : backoff);
    }

    /** How much of its backoff a subject still has to wait. */
    Duration backoffLeft(PenaltyState penaltyState) {
        Duration sinceLast = rule.resetAfter().minus(penaltyState.clearsAfter());
        Duration left = backoff(penaltyState.consecutiveViolations()).minus(sinceLast);
        return left.isNegative() ? Duration.ZERO : wholeSeconds(left);
    }

    boolean enforces() {
        return rule.enforce();
    }

    private Duration backoff(long violations) {
        if (violations < 1) {
            return Duration.ZERO;
        }
        return rule.backoff().get((int) Math.min(violations, rule.backoff().size()) - 1);
    }

    private static Duration wholeSeconds(Duration wait) {
        return Duration.ofSeconds(wait.plusNanos(999_999_999).toSeconds());
    }

    private Charge charge(List<String> penaltySubject) {
        return Charge.of(key(penaltySubject), streak);
    }

    private PenaltyState penaltyState(Reading reading) {
        return new PenaltyState(count(reading), reading.resetAfter());
    }

    private long count(Reading reading) {
        return streak.capacity() - reading.remaining();
    }
}

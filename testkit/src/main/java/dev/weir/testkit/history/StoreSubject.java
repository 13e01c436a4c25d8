package dev.weir.testkit.history;

import dev.weir.Answer;
import dev.weir.Decision;
import dev.weir.Store;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Runs a history on a store, with the clock that the test moves. */
final class StoreSubject implements HistorySubject {
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    private final StoreUnderTest trial;
    private final Store store;
    private final Map<Integer, Decision> decisions = new HashMap<>();
    private final Map<String, Decision> reserved = new HashMap<>();

    StoreSubject(StoreUnderTest trial) {
        this.trial = trial;
        this.store = trial.store();
    }

    @Override
    public Object live(Step step) {
        if (step instanceof Step.Advance advance) {
            trial.advance(advance.by());
        } else if (step instanceof Step.StepBack back) {
            trial.stepBack(back.by());
        } else if (step instanceof Step.StepWall wall) {
            trial.stepWall(wall.by());
        } else if (step instanceof Step.Sweep) {
            trial.sweep();
        } else if (step instanceof Step.Reset reset) {
            boolean unused = await(store.reset(reset.keys()));
        } else {
            return liveAnswered(step);
        }
        return Nothing.NOTHING;
    }

    private Object liveAnswered(Step step) {
        if (step instanceof Step.Consume consume) {
            Decision decision = await(store.consume(consume.charges()));
            decisions.put(consume.number(), decision);
            return seen(decision);
        }
        if (step instanceof Step.Peek peek) {
            return seen(await(store.peek(peek.charges())));
        }
        if (step instanceof Step.Refund refund) {
            Decision decision = decisions.get(refund.number());
            return decision != null && await(store.refund(decision));
        }
        if (step instanceof Step.RefundReserved refund) {
            Decision decision = reserved.get(refund.id());
            return decision != null && await(store.refund(decision));
        }
        if (step instanceof Step.Reserve reserve) {
            Decision decision = await(store.reserve(reserve.id(), reserve.charges(), reserve.ttl()));
            reserved.put(reserve.id(), decision);
            return seen(decision);
        }
        if (step instanceof Step.Settle settle) {
            return await(store.settle(settle.id(), settle.costs()));
        }
        if (step instanceof Step.Cancel cancel) {
            return await(store.cancel(cancel.id()));
        }
        return liveHeld(step);
    }

    private Object liveHeld(Step step) {
        if (step instanceof Step.Prolong prolong) {
            return await(store.prolong(prolong.id(), prolong.ttl()));
        }
        if (step instanceof Step.Acquire acquire) {
            ObservedDecision seen = seen(await(store.acquire(acquire.id(), acquire.charges(), acquire.ttl())));
            return acquire.repeats() ? seen.withoutReadings() : seen;
        }
        if (step instanceof Step.Renew renew) {
            return await(store.renew(renew.id(), renew.ttl()));
        }
        if (step instanceof Step.Release release) {
            return await(store.release(release.id()));
        }
        throw new IllegalArgumentException("no store can do " + step);
    }

    private static ObservedDecision seen(Decision decision) {
        return new ObservedDecision(decision.admitted(), decision.readings());
    }

    private static <T> T await(Answer<T> answer) {
        return answer.await(TIMEOUT);
    }
}

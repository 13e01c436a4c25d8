package dev.weir.testkit.history;

import dev.weir.testkit.model.ModelDecision;
import dev.weir.testkit.model.ModelTime;
import dev.weir.testkit.model.ReferenceModel;
import dev.weir.testkit.model.Timing;
import java.util.HashMap;
import java.util.Map;

/** Runs a history on the model, with its own time. */
final class ModelSubject implements HistorySubject {
    private final ReferenceModel model;
    private final Map<Integer, ModelDecision> verdicts = new HashMap<>();
    private final Map<String, ModelDecision> reserved = new HashMap<>();
    private ModelTime now;

    ModelSubject(Timing timing) {
        this.model = timing.newModel();
        this.now = timing.start();
    }

    ModelTime now() {
        return now;
    }

    ReferenceModel model() {
        return model;
    }

    @Override
    public Object live(Step step) {
        if (step instanceof Step.Advance advance) {
            return at(now.plus(advance.by()));
        }
        if (step instanceof Step.StepBack back) {
            return at(now.plusOnTheWall(back.by().negated()));
        }
        if (step instanceof Step.StepWall wall) {
            return at(now.plusOnTheWall(wall.by()));
        }
        if (step instanceof Step.Consume consume) {
            ModelDecision verdict = model.consume(consume.charges(), now);
            verdicts.put(consume.number(), verdict);
            return seen(verdict);
        }
        if (step instanceof Step.Peek peek) {
            return seen(model.peek(peek.charges(), now));
        }
        if (step instanceof Step.Refund refund) {
            ModelDecision verdict = verdicts.get(refund.number());
            return verdict != null && model.refund(verdict, now);
        }
        if (step instanceof Step.RefundReserved refund) {
            ModelDecision verdict = reserved.get(refund.id());
            return verdict != null && model.refund(verdict, now);
        }
        if (step instanceof Step.Reset reset) {
            model.reset(reset.keys(), now);
            return Nothing.NOTHING;
        }
        return liveUnderId(step);
    }

    private Object liveUnderId(Step step) {
        if (step instanceof Step.Reserve reserve) {
            ModelDecision verdict = model.reserve(reserve.id(), reserve.charges(), reserve.ttl(), now);
            reserved.put(reserve.id(), verdict);
            return seen(verdict);
        }
        if (step instanceof Step.Settle settle) {
            return model.settle(settle.id(), settle.costs(), now);
        }
        if (step instanceof Step.Cancel cancel) {
            return model.cancel(cancel.id(), now);
        }
        if (step instanceof Step.Prolong prolong) {
            return model.prolong(prolong.id(), prolong.ttl(), now);
        }
        if (step instanceof Step.Acquire acquire) {
            ObservedDecision seen = seen(model.acquire(acquire.id(), acquire.charges(), acquire.ttl(), now));
            return acquire.repeats() ? seen.withoutReadings() : seen;
        }
        if (step instanceof Step.Renew renew) {
            return model.renew(renew.id(), renew.ttl(), now);
        }
        if (step instanceof Step.Release release) {
            return model.release(release.id(), now);
        }
        return Nothing.NOTHING;
    }

    private Object at(ModelTime modelTime) {
        now = modelTime;
        return Nothing.NOTHING;
    }

    private static ObservedDecision seen(ModelDecision verdict) {
        return new ObservedDecision(verdict.admitted(), verdict.readings());
    }
}

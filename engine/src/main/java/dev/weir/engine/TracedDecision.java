package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.engine.plan.LimitCharges;
import dev.weir.engine.plan.PreparedRequest;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;
import java.util.List;
import java.util.stream.Stream;

/** A decision with a trace: measures the call of the store for the enforced limits, and reports the end. */
final class TracedDecision implements Decider.DecisionMode {
    private final Decider.DecisionMode mode;
    /** Written before the store's answer completes for later stages, which read it. */
    private volatile long storeNanos;

    private TracedDecision(Decider.DecisionMode mode) {
        this.mode = mode;
    }

    static Answer<Outcome> decide(
            Decider decider, PreparedRequest prepared, Decider.DecisionMode mode, DecisionTracer tracer) {
        DecisionTrace trace = tracer.begin(limits(prepared));
        TracedDecision traced = new TracedDecision(mode);
        Answer<Outcome> answer;
        try {
            answer = decider.decideUntraced(prepared, traced);
        } catch (RuntimeException e) {
            trace.fail(e);
            throw e;
        }
        answer.whenDone((outcome, failure) -> {
            if (outcome != null) {
                trace.end(outcome, traced.storeNanos);
            } else if (failure != null) {
                trace.fail(failure);
            }
        });
        return answer;
    }

    private static List<String> limits(PreparedRequest prepared) {
        return Stream.concat(prepared.chargesByLimit().stream(), prepared.shadows().stream())
                .map(LimitCharges::limit)
                .map(limit -> limit.rule.name())
                .toList();
    }

    @Override
    public Answer<Decision> decideAll(PreparedRequest prepared) {
        long began = System.nanoTime();
        return Answers.then(
                mode.decideAll(prepared),
                decision -> {
                    storeNanos = System.nanoTime() - began;
                    return Answer.of(decision);
                },
                failure -> {
                    storeNanos = System.nanoTime() - began;
                    return Promise.failed(failure);
                });
    }

    @Override
    public Answer<Decision> shadow(int place, List<Charge> charges) {
        return mode.shadow(place, charges);
    }

    @Override
    public boolean readOnly() {
        return mode.readOnly();
    }

    @Override
    public boolean reports() {
        return mode.reports();
    }
}

package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Decision;
import dev.weir.Settlement;
import dev.weir.engine.config.ChargeRule;
import dev.weir.engine.guard.GuardedStore;
import dev.weir.engine.plan.HeldCharges;
import dev.weir.remote.Answers;
import dev.weir.remote.Promise;

/** Settles the charges of a request that wait for the status of its response. */
final class StatusCharges {
    private final GuardedStore store;

    StatusCharges(GuardedStore store) {
        this.store = store;
    }

    /** Returns false if a charge could not be refunded because the store does not answer; it stays spent. */
    Answer<Boolean> complete(Outcome outcome, int status) {
        Answer<Boolean> all = Answer.of(true);
        for (HeldCharges held : outcome.held()) {
            all = both(all, Answers.map(store.settle(held.id(), held.costs(status)), done -> done == Settlement.DONE));
        }
        LimitResults limitResults = outcome.limitResults();
        if (limitResults != null) {
            for (int place : limitResults.shadowsAwaitingStatus()) {
                ChargeRule charge =
                        limitResults.prepared.shadows().get(place).limit().rule.charge();
                Decision spent = limitResults.shadow(place);
                if (charge != null && !charge.includes(status) && spent != null && spent.admitted()) {
                    all = both(all, store.giveBack(spent));
                }
            }
        }
        return all;
    }

    private static Answer<Boolean> both(Answer<Boolean> first, Answer<Boolean> second) {
        return Answers.then(
                first,
                done -> Answers.then(second, also -> Answer.of(done && also), failure -> Answer.of(false)),
                Promise::failed);
    }
}

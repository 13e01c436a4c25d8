package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.StoreException;
import dev.weir.engine.guard.Answers;
import dev.weir.engine.guard.GuardedStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reservations and leases: what is held for a while under an id. */
final class Holds {
    private final GuardedStore store;

    Holds(GuardedStore store) {
        this.store = store;
    }

    /** Reserves; shadow limits count the estimate, which stands. */
    Answer<Hold> reserve(@Nullable Inquiry inquiry, Decider decider, Duration ttl) {
        checkTtl(ttl);
        return hold(Hold.Kind.RESERVATION, inquiry, decider, ttl, id -> new Decider.Asking() {
            @Override
            public Answer<Decision> together(Inquiry asked) {
                return store.reserve(id.base(), asked.charges(), ttl);
            }

            @Override
            public Answer<Decision> shadow(int place, List<Charge> charges) {
                return store.consume(charges, false);
            }
        });
    }

    Answer<Hold> acquire(@Nullable Inquiry inquiry, Decider decider, Duration ttl) {
        checkTtl(ttl);
        return hold(Hold.Kind.LEASE, inquiry, decider, ttl, id -> new Decider.Asking() {
            @Override
            public Answer<Decision> together(Inquiry asked) {
                return store.acquire(id.base(), asked.charges(), ttl);
            }

            @Override
            public Answer<Decision> shadow(int place, List<Charge> charges) {
                return store.acquire(id.shadow(place), charges, ttl);
            }
        });
    }

    Answer<Settlement> settle(String text, Map<String, Long> costs) {
        HoldId id = HoldId.parse(text);
        if (id == null || !id.holdsSomething()) {
            return Answer.of(id == null ? Settlement.UNKNOWN : Settlement.DONE);
        }
        return store.settle(id.base(), costs);
    }

    /** The settlement; what a store finds out only later to be misuse is thrown as such, as if it had been found at once. */
    static Settlement settled(Answer<Settlement> answer) {
        try {
            return answer.await();
        } catch (StoreException e) {
            if (e.getCause() instanceof IllegalArgumentException misuse) {
                throw misuse;
            }
            throw e;
        }
    }

    Answer<Settlement> cancel(String text) {
        HoldId id = HoldId.parse(text);
        if (id == null || !id.holdsSomething()) {
            return Answer.of(id == null ? Settlement.UNKNOWN : Settlement.DONE);
        }
        return store.cancel(id.base());
    }

    Answer<Boolean> prolong(String text, Duration ttl) {
        checkTtl(ttl);
        HoldId id = HoldId.parse(text);
        if (id == null || !id.holdsSomething()) {
            return Answer.of(id != null);
        }
        return store.prolong(id.base(), ttl);
    }

    Answer<Boolean> renew(String text, Duration ttl) {
        checkTtl(ttl);
        HoldId id = HoldId.parse(text);
        if (id == null) {
            return Answer.of(false);
        }
        id.allShadows().forEach(shadow -> store.renew(shadow, ttl));
        return id.holdsSomething() ? store.renew(id.base(), ttl) : Answer.of(true);
    }

    Answer<Boolean> release(String text) {
        HoldId id = HoldId.parse(text);
        if (id == null) {
            return Answer.of(false);
        }
        id.allShadows().forEach(store::release);
        return id.holdsSomething() ? store.release(id.base()) : Answer.of(true);
    }

    /** How a new id is asked for. */
    private interface AskingFor {
        Decider.Asking under(HoldId id);
    }

    private Answer<Hold> hold(
            Hold.Kind kind, @Nullable Inquiry inquiry, Decider decider, Duration ttl, AskingFor asking) {
        if (inquiry == null) {
            return Answer.of(held(kind, Outcome.untouched(), HoldId.create(false, 0), ttl));
        }
        HoldId id =
                HoldId.create(!inquiry.demands().isEmpty(), inquiry.shadows().size());
        return Answers.map(decider.decide(inquiry, asking.under(id)), outcome -> {
            if (!outcome.allowed()) {
                return new Hold(outcome, null, ttl, kind, this);
            }
            // Let pass without the store, it holds nothing that could be settled.
            return held(kind, outcome, outcome.reason() == Reason.UNAVAILABLE ? HoldId.create(false, 0) : id, ttl);
        });
    }

    private Hold held(Hold.Kind kind, Outcome outcome, HoldId id, Duration ttl) {
        return new Hold(outcome, id.text(), ttl, kind, this);
    }

    private static void checkTtl(Duration ttl) {
        Objects.requireNonNull(ttl, "ttl is null");
        if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(Store.LONGEST_TTL) > 0) {
            throw new IllegalArgumentException(
                    "ttl is " + ttl + "; it must be positive and at most " + Store.LONGEST_TTL);
        }
    }
}

package dev.weir.engine;

import dev.weir.Answer;
import dev.weir.ArgumentException;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.DurationText;
import dev.weir.Settlement;
import dev.weir.StoreException;
import dev.weir.engine.config.HoldRule;
import dev.weir.engine.guard.GuardedStore;
import dev.weir.engine.plan.HoldId;
import dev.weir.engine.plan.PreparedRequest;
import dev.weir.remote.Answers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reservations and leases, by their ids. */
final class Holds {
    private final GuardedStore store;
    private final Supplier<HoldRule> rule;

    /** @param rule supplies the bounds that are in force */
    Holds(GuardedStore store, Supplier<HoldRule> rule) {
        this.store = store;
        this.rule = rule;
    }

    /** Makes a reservation; shadow limits consume the estimate at once, and are not settled. */
    Answer<Hold> reserve(@Nullable PreparedRequest prepared, Decider decider, Duration ttl) {
        HoldRule bounds = rule.get();
        checkReservationTtl(ttl);
        Charge open = prepared == null ? null : OpenReservations.charge(prepared, bounds);
        return hold(Hold.Kind.RESERVATION, prepared, open != null, decider, ttl, id -> new Decider.DecisionMode() {
            @Override
            public Answer<Decision> decideAll(PreparedRequest asked) {
                return open == null
                        ? store.reserve(id.base(), asked.charges(), ttl)
                        : OpenReservations.decided(
                                store.reserve(id.base(), OpenReservations.with(asked.charges(), open), ttl), bounds);
            }

            @Override
            public Answer<Decision> shadow(int place, List<Charge> charges) {
                return store.consume(charges, false);
            }
        });
    }

    Answer<Hold> acquire(@Nullable PreparedRequest prepared, Decider decider, Duration ttl) {
        checkLeaseTtl(ttl);
        return hold(Hold.Kind.LEASE, prepared, false, decider, ttl, id -> new Decider.DecisionMode() {
            @Override
            public Answer<Decision> decideAll(PreparedRequest asked) {
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
        return store.settle(id.base(), id.isBounded() ? OpenReservations.settled(costs) : costs);
    }

    /**
     * Awaits a settlement. Misuse that the store detected only after the call returned is thrown like misuse detected
     * at once.
     */
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
        checkReservationTtl(ttl);
        HoldId id = HoldId.parse(text);
        if (id == null || !id.holdsSomething()) {
            return Answer.of(id != null);
        }
        return store.prolong(id.base(), ttl);
    }

    Answer<Boolean> renew(String text, Duration ttl) {
        checkLeaseTtl(ttl);
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

    /** Creates the decision mode for a new id. */
    private interface HoldModeFactory {
        Decider.DecisionMode under(HoldId id);
    }

    private Answer<Hold> hold(
            Hold.Kind kind,
            @Nullable PreparedRequest prepared,
            boolean isBounded,
            Decider decider,
            Duration ttl,
            HoldModeFactory mode) {
        if (prepared == null) {
            return Answer.of(held(kind, Outcome.untouched(), HoldId.create(false, 0), ttl));
        }
        int shadows = prepared.shadows().size();
        HoldId id = isBounded
                ? HoldId.createBounded(shadows)
                : HoldId.create(!prepared.chargesByLimit().isEmpty(), shadows);
        return Answers.map(decider.decide(prepared, mode.under(id)), outcome -> {
            if (!outcome.allowed()) {
                return new Hold(outcome, null, ttl, kind, this);
            }
            // Allowed without the store: nothing is held that could be settled.
            return held(kind, outcome, outcome.reason() == Reason.UNAVAILABLE ? HoldId.create(false, 0) : id, ttl);
        });
    }

    private Hold held(Hold.Kind kind, Outcome outcome, HoldId id, Duration ttl) {
        return new Hold(outcome, id.text(), ttl, kind, this);
    }

    private void checkReservationTtl(Duration ttl) {
        checkTtl(ttl, rule.get().longestReservation(), "longest-reservation");
    }

    private void checkLeaseTtl(Duration ttl) {
        checkTtl(ttl, rule.get().longestLease(), "longest-lease");
    }

    private static void checkTtl(Duration ttl, Duration longest, String key) {
        Objects.requireNonNull(ttl, "ttl is null");
        if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(longest) > 0) {
            throw new ArgumentException(
                    "ttl",
                    "ttl is " + DurationText.of(ttl) + "; it must be positive and at most " + DurationText.of(longest)
                            + " (holds." + key + ")");
        }
    }
}

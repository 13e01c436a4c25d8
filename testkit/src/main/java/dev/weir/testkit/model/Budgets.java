package dev.weir.testkit.model;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.Store;
import dev.weir.TokenBucket;
import dev.weir.algorithm.Resolution;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The budgets of all keys, and decisions over several of them. */
final class Budgets {
    private final Function<Policy, Resolution> resolutions;
    private final Map<Policy, Resolution> resolutionsAsked = new HashMap<>();
    /** When each policy was first seen, in its own ticks. */
    private final Map<Policy, Long> firstSeen = new HashMap<>();

    private final Map<Key, Budget> kept = new HashMap<>();
    private final Map<Key, Reset> resets = new HashMap<>();
    /** The number of resets and decisions so far; it orders them. */
    private long order;

    /** The last reset of a key. */
    private record Reset(long order, ModelTime at) {}

    Budgets(Function<Policy, Resolution> resolutions) {
        this.resolutions = resolutions;
    }

    /** Spends all or nothing; slots are held by {@code lease} until {@code endNanos}. */
    ModelDecision decide(List<Charge> charges, ModelTime now, @Nullable String lease, long endNanos) {
        ModelDecision seen = look(charges, now);
        if (!seen.admitted()) {
            return seen;
        }
        List<Reading> readings = new ArrayList<>();
        for (Charge charge : charges) {
            Budget budget = under(charge, now);
            kept.put(charge.key(), budget);
            if (budget instanceof SlotBudget) {
                resets.remove(charge.key());
            }
            if (budget instanceof SlotBudget slots && lease != null) {
                slots.hold(lease, charge.cost(), endTicks(slots, endNanos), ticks(slots, now));
            } else {
                budget.spend(charge.cost(), ticks(budget, now));
            }
            readings.add(new Reading.Admitted(remaining(budget, now), resetAfter(budget, now)));
        }
        return new ModelDecision(charges, now, ++order, true, true, readings);
    }

    ModelDecision look(List<Charge> charges, ModelTime now) {
        charges.forEach(charge -> noteFirstUse(charge.policy(), now));
        charges.forEach(charge -> notice(charge.key(), now));
        List<Reading> readings = new ArrayList<>();
        Map<Key, Charge> asked = new HashMap<>();
        for (Charge charge : charges) {
            Charge sum = asked.merge(charge.key(), charge, Budgets::sum);
            readings.add(read(under(charge, now), sum.cost(), now));
        }
        boolean fits = readings.stream().allMatch(Reading.Fits.class::isInstance);
        return new ModelDecision(charges, now, 0, fits, false, readings);
    }

    /** Readings for an existing lease, whose charges are already spent. */
    ModelDecision lookAtHeld(List<Charge> charges, ModelTime now) {
        List<Reading> readings = new ArrayList<>();
        for (Charge charge : charges) {
            Budget budget = under(charge, now);
            readings.add(new Reading.Admitted(remaining(budget, now), resetAfter(budget, now)));
        }
        return new ModelDecision(charges, now, 0, true, false, readings);
    }

    /**
     * Spends so much more, whether it fits or not, or gives back so much of what the decision has spent.
     *
     * @param index the index of the charge in the decision
     */
    void adjust(ModelDecision verdict, int index, long difference, ModelTime now) {
        Charge charge = verdict.charges().get(index);
        Budget budget = kept.get(charge.key());
        if (difference == 0 || budget instanceof SlotBudget || charge.policy() instanceof Concurrency) {
            return;
        }
        if (difference > 0) {
            Budget charged = budget == null || isWhole(budget, now) ? fresh(charge.policy()) : budget;
            charged.spend(difference, ticks(charged, now));
            kept.put(charge.key(), charged);
        } else if (budget != null && isStillSpent(verdict, index, budget, now)) {
            budget.giveBack(-difference, ticks(budget, verdict.at()), ticks(budget, now));
        }
    }

    /** Whether the units spent then may still count: no reset came since, and their window has not ended. */
    private boolean isStillSpent(ModelDecision verdict, int index, Budget budget, ModelTime now) {
        Charge charge = verdict.charges().get(index);
        Reset reset = resets.get(charge.key());
        if (reset != null
                && verdict.order() < reset.order
                && now.nanos() < reset.at.plus(Store.LONGEST_TTL).nanos()) {
            return false;
        }
        if (budget.policy().equals(charge.policy()) || charge.policy() instanceof TokenBucket) {
            return true;
        }
        ModelTime end = verdict.at().plus(verdict.readings().get(index).resetAfter());
        Resolution resolution = resolution(charge.policy());
        return now.ticks(charge.policy(), resolution) < end.ticks(charge.policy(), resolution);
    }

    /** Whether the budget is equivalent to an unused one: it is full, and so is a new one. */
    private boolean isWhole(Budget budget, ModelTime now) {
        return budget.resetAfter(ticks(budget, now)) == 0
                && fresh(budget.policy()).resetAfter(ticks(budget, now)) == 0;
    }

    void reset(Key key, ModelTime now) {
        kept.remove(key);
        resets.put(key, new Reset(++order, now));
    }

    /**
     * Holds the charge's slots until then; returns false if another policy has taken over and they are not held any
     * more.
     */
    boolean renew(Charge charge, String lease, long endNanos) {
        if (!(charge.policy() instanceof Concurrency)) {
            return true;
        }
        return kept.get(charge.key()) instanceof SlotBudget slots && slots.renew(lease, endTicks(slots, endNanos));
    }

    void release(Charge charge, String lease) {
        if (charge.policy() instanceof Concurrency && kept.get(charge.key()) instanceof SlotBudget slots) {
            slots.release(lease);
        }
    }

    private void notice(Key key, ModelTime now) {
        Budget budget = kept.get(key);
        if (budget != null) {
            budget.notice(ticks(budget, now));
        }
    }

    private void noteFirstUse(Policy policy, ModelTime now) {
        firstSeen.computeIfAbsent(policy, unseen -> now.ticks(unseen, resolution(unseen)));
    }

    /** A copy of the key's budget, converted to the charge's policy. */
    private Budget under(Charge charge, ModelTime now) {
        Budget budget = kept.get(charge.key());
        Policy policy = charge.policy();
        if (budget == null) {
            return fresh(policy);
        }
        if (budget.policy().equals(policy)) {
            return budget.copy();
        }
        if (budget instanceof SlotBudget slots && policy instanceof Concurrency resized) {
            return slots.resized(resized);
        }
        Budget converted = fresh(policy);
        long spent = spent(budget, now);
        if (spent > 0) {
            converted.spend(Math.min(spent, policy.capacity()), ticks(converted, now));
        }
        return converted;
    }

    /** The spent units, as whole units: what an unused budget has more. */
    private long spent(Budget budget, ModelTime now) {
        long ticks = ticks(budget, now);
        return fresh(budget.policy()).available(ticks) - budget.available(ticks);
    }

    private Budget fresh(Policy policy) {
        return Budget.open(policy, resolution(policy), firstSeen.getOrDefault(policy, 0L));
    }

    private Reading read(Budget budget, long cost, ModelTime now) {
        long remaining = remaining(budget, now);
        Duration reset = resetAfter(budget, now);
        long capacity = budget.policy().capacity();
        if (cost > capacity) {
            return new Reading.Impossible(remaining, capacity, reset);
        }
        long ticks = ticks(budget, now);
        return budget.fits(cost, ticks)
                ? new Reading.Fits(remaining, reset)
                : new Reading.Refused(remaining, duration(budget, budget.retryAfter(cost, ticks)), reset);
    }

    private long remaining(Budget budget, ModelTime now) {
        return Math.max(0, budget.available(ticks(budget, now)));
    }

    private Duration resetAfter(Budget budget, ModelTime now) {
        return duration(budget, budget.resetAfter(ticks(budget, now)));
    }

    private long ticks(Budget budget, ModelTime when) {
        return when.ticks(budget.policy(), resolution(budget.policy()));
    }

    /** Rounds up, so that nothing ends early. */
    private long endTicks(SlotBudget slots, long endNanos) {
        return -Math.floorDiv(-endNanos, resolution(slots.policy()).nanosPerTick());
    }

    private Resolution resolution(Policy policy) {
        return resolutionsAsked.computeIfAbsent(policy, resolutions);
    }

    private Duration duration(Budget budget, long ticks) {
        BigInteger nanos = BigInteger.valueOf(ticks)
                .multiply(BigInteger.valueOf(resolution(budget.policy()).nanosPerTick()));
        BigInteger[] parts = nanos.divideAndRemainder(BigInteger.valueOf(1_000_000_000));
        return Duration.ofSeconds(parts[0].longValueExact(), parts[1].longValueExact());
    }

    /** The sum of two charges on one key. A sum that overflows a long exceeds any budget. */
    private static Charge sum(Charge before, Charge charge) {
        if (!before.policy().equals(charge.policy())) {
            throw new IllegalArgumentException("one key is charged under two policies in one decision");
        }
        long room = Long.MAX_VALUE - before.cost();
        return new Charge(charge.key(), charge.policy(), before.cost() + Math.min(room, charge.cost()));
    }
}

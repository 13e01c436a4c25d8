package dev.weir.memory;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Reading;
import dev.weir.Streak;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.SlotLedger;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides charges, several of them all or nothing, and adjusts later what was spent.
 *
 * <p>Several charges are read first, then spent one after another. If another thread was faster with one of them, those
 * before it are given back and all are read again. Safe for use by any number of threads.
 */
final class MemoryDecider {
    /**
     * The maximum number of attempts of a decision that loses races with other threads. It may also lose to itself: two
     * of its keys may share one budget of a table without room, and fit one by one but not together.
     */
    private static final int MOST_LOST = 16;

    private final StoreClock clock;
    private final PolicyRegistry policyRegistry;
    private final PackedTable table;
    private final LedgerTable ledgers;
    private final Resets resets;

    MemoryDecider(
            StoreClock clock, PolicyRegistry policyRegistry, PackedTable table, LedgerTable ledgers, Resets resets) {
        this.clock = clock;
        this.policyRegistry = policyRegistry;
        this.table = table;
        this.ledgers = ledgers;
        this.resets = resets;
    }

    /** A lease that holds slots, and its end. */
    record LeaseHolder(String lease, long expiresAt) {}

    /** Spends all charges or none; slots are held by the lease {@code holder}. */
    MemoryDecision decide(List<Charge> charges, @Nullable LeaseHolder holder) {
        long resetsBefore = resets.count();
        MemoryDecision decision = decideNow(charges, holder);
        if (resets.mayBeAfter(decision.time())) {
            decision.resetsBefore(resetsBefore);
        }
        return decision;
    }

    private MemoryDecision decideNow(List<Charge> charges, @Nullable LeaseHolder holder) {
        if (charges.size() == 1) {
            Charge charge = charges.get(0);
            BoundPolicy boundPolicy = policyRegistry.of(charge.policy());
            if (boundPolicy.packed != null) {
                return takeOne(charges, charge, boundPolicy);
            }
        }
        MemoryDecision decision = newDecision(charges, startTime(charges));
        for (int lost = 1; ; lost++) {
            // The first charge need not be read: if it is refused when it is spent, nothing has been spent yet.
            boolean mayFit = look(decision, 1);
            int taken = mayFit ? takeAll(charges, decision, holder) : 0;
            if (taken == charges.size()) {
                return decision;
            }
            @Nullable Reading refusal = mayFit && lost >= MOST_LOST ? decision.reading(taken) : null;
            giveBack(decision, taken, decision.time(), holder);
            retime(decision);
            if (!look(decision, 0)) {
                // Other threads may have changed the states at later times, see isFinal().
                if (lost >= MOST_LOST || !fits(decision, clock.precise())) {
                    return decision;
                }
                retime(decision);
            }
            if (refusal instanceof Reading.Refused) {
                decision.reading(taken, refusal);
                return decision;
            }
        }
    }

    private MemoryDecision takeOne(List<Charge> charges, Charge charge, BoundPolicy boundPolicy) {
        long now = clock.now();
        long hash = charge.key().hash();
        long mark = table.apply(PackedOperation.TAKE, hash, boundPolicy, charge.cost(), now);
        for (int checks = 0; !PackedResult.isTaken(mark); checks++) {
            now = clock.precise();
            if (isFinal(mark, boundPolicy, charge.cost(), now, checks)) {
                break;
            }
            mark = takeNoticing(hash, boundPolicy, charge.cost(), now);
        }
        MemoryDecision decision = newDecision(charges, now);
        decision.mark(0, mark);
        return decision;
    }

    /**
     * Spends with the present time a charge that was refused with an earlier one, unless the refusal {@linkplain #isFinal
     * is final}.
     *
     * @param refused the result of the refusal
     */
    boolean takeAgain(long hash, BoundPolicy boundPolicy, long cost, long refused) {
        long mark = refused;
        for (int checks = 0; !PackedResult.isTaken(mark); checks++) {
            long now = clock.precise();
            if (isFinal(mark, boundPolicy, cost, now, checks)) {
                return false;
            }
            mark = takeNoticing(hash, boundPolicy, cost, now);
        }
        return true;
    }

    /**
     * Whether a refusal is final: the state refuses at {@code now}, too, which was read after the state.
     *
     * <p>The time of the refusal was read before the state. If another thread changed the state at a later time, then
     * the refusing thread saw fewer tokens than there were.
     *
     * @param checks how often this was asked for the charge: a table without room may refuse what would fit
     */
    private static boolean isFinal(long refused, BoundPolicy boundPolicy, long cost, long now, int checks) {
        return !PackedResult.isStale(refused)
                && (checks >= MOST_LOST || !boundPolicy.fits(PackedResult.state(refused), cost, now));
    }

    private long takeNoticing(long hash, BoundPolicy boundPolicy, long cost, long now) {
        PackedOperation look = boundPolicy.look();
        if (look == PackedOperation.NOTICE) {
            table.apply(look, hash, boundPolicy, 0, now);
        }
        return table.apply(PackedOperation.TAKE, hash, boundPolicy, cost, now);
    }

    MemoryDecision newDecision(List<Charge> charges, long now) {
        MemoryDecision decision = new MemoryDecision(policyRegistry, charges, now);
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).policy() instanceof CalendarWindow) {
                decision.wallMillis(clock.epochMillis(now));
                break;
            }
        }
        return decision;
    }

    /** Sets the time of the decision to the present. */
    private void retime(MemoryDecision decision) {
        long now = clock.precise();
        decision.time(now);
        if (decision.knowsWallTime()) {
            decision.wallMillis(clock.epochMillis(now));
        }
    }

    /** Spends the charges in order; returns how many were spent before the first that no longer fits. */
    private int takeAll(List<Charge> charges, MemoryDecision taken, @Nullable LeaseHolder holder) {
        for (int i = 0; i < charges.size(); i++) {
            if (!take(charges.get(i), i, taken, holder)) {
                return i;
            }
        }
        return charges.size();
    }

    private boolean take(Charge charge, int index, MemoryDecision taken, @Nullable LeaseHolder holder) {
        BoundPolicy boundPolicy = policyRegistry.of(charge.policy());
        long hash = charge.key().hash();
        if (boundPolicy.packed != null) {
            long mark = table.apply(PackedOperation.TAKE, hash, boundPolicy, charge.cost(), taken.time());
            taken.mark(index, mark);
            return PackedResult.isTaken(mark);
        }
        Reading reading = ledgers.take(hash, boundPolicy, taken.time(), table, (ledger, now) -> {
            taken.spentAt(index, now);
            return takeFrom(ledger, boundPolicy, charge, now, holder);
        });
        taken.reading(index, reading);
        boolean isAdmitted = reading instanceof Reading.Admitted;
        if (isAdmitted && charge.policy() instanceof Concurrency) {
            resets.forget(hash);
        }
        return isAdmitted;
    }

    private static Reading takeFrom(
            Ledger ledger, BoundPolicy boundPolicy, Charge charge, long now, @Nullable LeaseHolder holder) {
        long ticks = boundPolicy.ticks(now);
        if (ledger.available(ticks) < charge.cost()) {
            return boundPolicy.model.read(ledger, false, charge.cost(), ticks);
        }
        if (ledger instanceof SlotLedger slots && holder != null) {
            slots.hold(holder.lease(), charge.cost(), holder.expiresAt());
        } else {
            ledger.spend(charge.cost(), ticks);
        }
        return boundPolicy.model.read(ledger, true, charge.cost(), ticks);
    }

    /** Reads the budgets, from one charge on, into the decision and returns whether these charges fit. */
    boolean look(MemoryDecision seen, int from) {
        List<Charge> charges = seen.charges();
        boolean allFit = true;
        for (int i = from; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            BoundPolicy boundPolicy = policyRegistry.of(charge.policy());
            if (boundPolicy.packed != null) {
                long state = PackedResult.state(
                        table.apply(boundPolicy.look(), charge.key().hash(), boundPolicy, 0, seen.time()));
                seen.mark(i, PackedResult.left(state));
                allFit &= boundPolicy.fits(state, seen.costTogether(i), seen.time());
            } else {
                Reading reading = lookAtLedger(charge, seen.costTogether(i), boundPolicy, seen.time());
                seen.reading(i, reading);
                allFit &= reading instanceof Reading.Fits;
            }
        }
        return allFit;
    }

    /** Whether the charges fit the budgets, as they were read, at {@code now}; readings of ledgers are final. */
    private boolean fits(MemoryDecision seen, long now) {
        List<Charge> charges = seen.charges();
        for (int i = 0; i < charges.size(); i++) {
            BoundPolicy boundPolicy = policyRegistry.of(charges.get(i).policy());
            boolean fits = boundPolicy.packed != null
                    ? boundPolicy.fits(PackedResult.state(seen.markAt(i)), seen.costTogether(i), now)
                    : seen.reading(i) instanceof Reading.Fits;
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    private Reading lookAtLedger(Charge charge, long cost, BoundPolicy boundPolicy, long now) {
        return ledgers.look(
                charge.key().hash(),
                boundPolicy,
                now,
                table,
                (ledger, time) -> boundPolicy.model.read(ledger, false, cost, boundPolicy.ticks(time)));
    }

    void giveBack(MemoryDecision decision, int count, long now, @Nullable LeaseHolder holder) {
        List<Charge> charges = decision.charges();
        for (int i = 0; i < count; i++) {
            Charge charge = charges.get(i);
            adjust(decision, i, -charge.cost(), now);
        }
        if (holder != null) {
            releaseSlots(charges, count, holder.lease());
        }
    }

    /** Resets the key's budget to full; what was spent before can no longer be given back. */
    void reset(long hash, long now) {
        synchronized (ledgers.lockOf(hash)) {
            table.reset(hash, now);
            ledgers.reset(hash, now);
            // The time is read afterwards: spending at the same time may count as before the reset, but never the other
            // way round.
            resets.put(hash, clock.precise());
        }
    }

    /** Spends {@code difference} more of a charge, whether it fits or not, or gives it back if negative. */
    void adjust(MemoryDecision decision, int index, long difference, long now) {
        Charge charge = decision.charges().get(index);
        if (difference == 0 || charge.policy() instanceof Concurrency) {
            return;
        }
        BoundPolicy boundPolicy = policyRegistry.of(charge.policy());
        long hash = charge.key().hash();
        DecisionTime spent = decision.decisionTime(index);
        boolean hasEnded = difference < 0 && boundPolicy.hasEnded(spent, decision.reading(index), now);
        if (difference < 0
                && ((hasEnded && !(charge.policy() instanceof Streak))
                        || resets.cameAfter(hash, spent.nanos(), decision.resetsBefore(), now))) {
            return;
        }
        if (boundPolicy.packed != null && !ledgers.inUse()) {
            adjustPacked(hash, boundPolicy, difference, spent, now);
            return;
        }
        // While the lock is held, the key stays in the table or in its ledger.
        synchronized (ledgers.lockOf(hash)) {
            LedgerTable.Adjustment adjustment = adjustment(difference, spent);
            // Later charges may have extended a streak; only its own ledger has that.
            if (ledgers.adjust(hash, boundPolicy, difference > 0, now, (ledger, kept, time) -> {
                if (!hasEnded || kept == boundPolicy) {
                    adjustment.apply(ledger, kept, time);
                }
            })) {
                return;
            }
            if (boundPolicy.packed != null) {
                adjustPacked(hash, boundPolicy, difference, spent, now);
                return;
            }
            if (difference > 0) {
                table.forgetWhole(hash, now);
            }
            if (!hasEnded && !table.adjust(verb(difference), hash, Math.abs(difference), spent, now)) {
                adjustAbsent(hash, boundPolicy, difference, spent, now);
            }
        }
    }

    private void adjustPacked(long hash, BoundPolicy boundPolicy, long difference, DecisionTime spent, long now) {
        if (difference > 0) {
            table.apply(PackedOperation.SPEND, hash, boundPolicy, difference, now);
        } else {
            table.giveBack(hash, boundPolicy, -difference, spent, now);
        }
    }

    private void adjustAbsent(long hash, BoundPolicy boundPolicy, long difference, DecisionTime spent, long now) {
        if (difference > 0) {
            ledgers.spendFirst(hash, boundPolicy, now, adjustment(difference, spent));
        } else {
            ledgers.giveBackShared(hash, boundPolicy, now, adjustment(difference, spent));
        }
    }

    private static PackedOperation verb(long difference) {
        return difference > 0 ? PackedOperation.SPEND : PackedOperation.GIVE_BACK;
    }

    private static LedgerTable.Adjustment adjustment(long difference, DecisionTime spent) {
        return (ledger, boundPolicy, now) -> {
            if (ledger instanceof SlotLedger) {
                return;
            }
            if (difference > 0) {
                ledger.spend(difference, boundPolicy.ticks(now));
            } else {
                ledger.giveBack(-difference, boundPolicy.ticks(spent), boundPolicy.ticks(now));
            }
        };
    }

    void releaseSlots(List<Charge> charges, int count, String id) {
        for (int i = 0; i < count; i++) {
            boolean unused = onSlots(charges.get(i), slots -> slots.release(id));
        }
    }

    /** Applies a change to the charge's slots; returns true for a charge of another kind. */
    boolean onSlots(Charge charge, Predicate<SlotLedger> change) {
        return !(charge.policy() instanceof Concurrency)
                || ledgers.onSlots(charge.key().hash(), policyRegistry.of(charge.policy()), change);
    }

    /**
     * The time of a decision: the precise one if a ledger is among the budgets, because a lock costs more than reading
     * the clock.
     */
    private long startTime(List<Charge> charges) {
        if (clock.lags()) {
            for (int i = 0; i < charges.size(); i++) {
                if (policyRegistry.of(charges.get(i).policy()).packed == null) {
                    return clock.precise();
                }
            }
        }
        return clock.now();
    }
}

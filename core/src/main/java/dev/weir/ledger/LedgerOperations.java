package dev.weir.ledger;

import dev.weir.Concurrency;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.StoreArguments;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.SlotLedger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a {@link dev.weir.Store} on a set of ledgers, at one time.
 *
 * <p>The store finds and keeps the budgets, checks the arguments and makes each call atomic. The ledgers do the
 * arithmetic. Not safe for use by several threads.
 *
 * @param <C> the store's charges
 */
public final class LedgerOperations<C extends BoundCharge> {
    /*
     * One instance serves one operation at one time. It decides what is done to which ledger. The result depends on the
     * state, the arguments and the time alone, so that every replica of a state comes to the same result.
     *
     * Rules that hold for every operation:
     * - All or none. spend() first checks that every charge fits, with the costs of earlier charges on the same budget
     *   added, and only then changes ledgers. A refusal reads the budgets and changes nothing, except for a calendar
     *   that was set back.
     * - A key has one budget, under the policy of the last change. under() returns it for the policy of a charge. If
     *   that is another policy, it returns a copy from which as much is spent; the store keeps the copy only if the
     *   charge is spent.
     * - Refunds and settlements change the budget under the policy that it has now, not under the policy of the charge.
     *   Nothing is given back to a key that was reset since, nor to a window that has ended. Additional costs are spent
     *   even if they do not fit.
     * - Slots are held by leases. They are never refunded or settled, only released.
     *
     * A reservation is open, then closed, then unknown. reserve() creates it if its charges were spent; repeated calls
     * return the same readings. settle(), cancel() and a refund close it once; after that it is kept for a while so
     * that its id stays known. It becomes unknown when its time is over, and an open one leaves its estimate spent.
     *
     * A lease is held until it is released or expires. renew() extends every slot, or releases the lease if one slot is
     * lost. acquire() with the id of a held lease renews it and spends nothing.
     */
    private final LedgerState<C> state;
    private final HoldTable<C> reservations;
    private final HoldTable<C> leases;
    private final StoreTime now;

    public LedgerOperations(LedgerState<C> state, HoldTable<C> reservations, HoldTable<C> leases, StoreTime now) {
        this.state = state;
        this.reservations = reservations;
        this.leases = leases;
        this.now = now;
    }

    /** See {@link dev.weir.Store#consume}. */
    public LedgerOutcome<C> consume(List<C> charges) {
        return spend(charges, null, 0);
    }

    /** See {@link dev.weir.Store#peek}. */
    public LedgerOutcome<C> peek(List<C> charges) {
        List<Reading> readings = new ArrayList<>(charges.size());
        boolean fits = true;
        for (int i = 0; i < charges.size(); i++) {
            Reading reading = read(under(charges.get(i)), false, costTogether(charges, i));
            fits &= reading instanceof Reading.Fits;
            readings.add(reading);
        }
        return new LedgerOutcome<>(
                charges,
                readings,
                fits ? LedgerOutcome.Kind.FITS : LedgerOutcome.Kind.REFUSED,
                now,
                LedgerOutcome.NONE_SEEN);
    }

    /** Gives back what a decision has spent. See {@link dev.weir.Store#refund}. */
    public void refund(LedgerOutcome<C> spent) {
        for (int i = 0; i < spent.charges().size(); i++) {
            adjust(spent, i, -spent.charges().get(i).cost());
        }
    }

    /**
     * Gives back what a reservation holds, and closes it.
     *
     * @param spentAt when it was made, because its id may name another reservation by now
     */
    public boolean refundReservation(String id, StoreTime spentAt) {
        StoredHold<C> open = held(reservations, id);
        return open != null && open.spent().at().equals(spentAt) && cancel(id) == Settlement.DONE;
    }

    /**
     * See {@link dev.weir.Store#reserve}.
     *
     * @throws dev.weir.ArgumentException if the id names a reservation of other keys
     */
    public LedgerOutcome<C> reserve(String id, List<C> charges, long ttlMicros) {
        StoredHold<C> open = held(reservations, id);
        if (open != null) {
            if (!keys(open.charges()).equals(keys(charges))) {
                throw StoreArguments.otherKeys(id);
            }
            return open.spent().repeated();
        }
        reservations.makeRoom(id, now);
        LedgerOutcome<C> outcome = consume(charges);
        if (outcome.admitted()) {
            reservations.put(id, new StoredHold<>(outcome, now.micros() + ttlMicros, false));
        }
        return outcome;
    }

    /**
     * See {@link dev.weir.Store#settle}.
     *
     * @throws dev.weir.ArgumentException if the reservation has no charge of a scope among the costs
     */
    public Settlement settle(String id, Map<String, Long> costs) {
        return close(id, costs, false);
    }

    /** See {@link dev.weir.Store#cancel}. */
    public Settlement cancel(String id) {
        return close(id, Map.of(), true);
    }

    /** See {@link dev.weir.Store#prolong}. */
    public boolean prolong(String id, long ttlMicros) {
        StoredHold<C> open = held(reservations, id);
        if (open == null || open.closed()) {
            return false;
        }
        reservations.put(id, open.until(now.micros() + ttlMicros));
        return true;
    }

    /** See {@link dev.weir.Store#acquire}. */
    public LedgerOutcome<C> acquire(String id, List<C> charges, long ttlMicros) {
        StoredHold<C> held = held(leases, id);
        if (held != null && renew(id, ttlMicros)) {
            return lookAtHeld(held.charges());
        }
        leases.makeRoom(id, now);
        long end = now.micros() + ttlMicros;
        LedgerOutcome<C> outcome = spend(charges, id, end);
        if (outcome.admitted()) {
            leases.put(id, new StoredHold<>(outcome, end, false));
        }
        return outcome;
    }

    /** See {@link dev.weir.Store#renew}. A lease that has lost one of its slots is released. */
    public boolean renew(String id, long ttlMicros) {
        StoredHold<C> held = held(leases, id);
        if (held == null) {
            return false;
        }
        long end = now.micros() + ttlMicros;
        for (C charge : held.charges()) {
            if (isForSlots(charge) && !renewSlots(charge, id, end)) {
                release(id);
                return false;
            }
        }
        leases.put(id, held.until(end));
        return true;
    }

    /** See {@link dev.weir.Store#release}. */
    public boolean release(String id) {
        StoredHold<C> known = leases.get(id);
        if (known == null) {
            return false;
        }
        leases.remove(id);
        if (!known.isHeld(now)) {
            return false;
        }
        for (C charge : known.charges()) {
            Budget kept = isForSlots(charge) ? state.budget(charge) : null;
            if (kept != null && kept.ledger() instanceof SlotLedger slots && slots.release(id)) {
                state.keep(charge, kept, now);
            }
        }
        return true;
    }

    private LedgerOutcome<C> spend(List<C> charges, @Nullable String lease, long leaseEnd) {
        state.makeRoom(charges.size(), now);
        if (!fit(charges)) {
            return peek(charges);
        }
        List<Reading> readings = new ArrayList<>(charges.size());
        long[] resetsSeen = new long[charges.size()];
        for (int i = 0; i < charges.size(); i++) {
            C charge = charges.get(i);
            // Looked up again for every charge: different keys may share a budget.
            Budget budget = under(charge);
            resetsSeen[i] = state.resetsSeen(charge, now);
            state.keep(charge, budget, now);
            if (budget.ledger() instanceof SlotLedger slots && lease != null) {
                state.forgetResets(charge);
                slots.hold(lease, charge.cost(), leaseEnd);
            } else {
                budget.ledger().spend(charge.cost(), now.ticks(budget.model()));
            }
            readings.add(read(budget, true, charge.cost()));
        }
        return new LedgerOutcome<>(charges, readings, LedgerOutcome.Kind.SPENT, now, resetsSeen);
    }

    private boolean fit(List<C> charges) {
        for (int i = 0; i < charges.size(); i++) {
            long cost = costTogether(charges, i);
            Budget budget = under(charges.get(i));
            if (cost > budget.model().policy().capacity()
                    || cost > budget.ledger().available(now.ticks(budget.model()))) {
                return false;
            }
        }
        return true;
    }

    /** The outcome of repeating {@code acquire} with a held lease: readings as admitted, and nothing is spent. */
    private LedgerOutcome<C> lookAtHeld(List<C> charges) {
        List<Reading> readings = new ArrayList<>(charges.size());
        long[] resetsSeen = new long[charges.size()];
        for (int i = 0; i < charges.size(); i++) {
            C charge = charges.get(i);
            readings.add(read(under(charge), true, charge.cost()));
            resetsSeen[i] = state.resetsSeen(charge, now);
        }
        return new LedgerOutcome<>(charges, readings, LedgerOutcome.Kind.REPEATED, now, resetsSeen);
    }

    private Settlement close(String id, Map<String, Long> costs, boolean cancel) {
        StoredHold<C> open = held(reservations, id);
        if (open == null) {
            return Settlement.UNKNOWN;
        }
        if (open.closed()) {
            return Settlement.ALREADY_CLOSED;
        }
        for (String scope : costs.keySet()) {
            if (open.charges().stream().noneMatch(charge -> charge.isOfScope(scope))) {
                throw StoreArguments.notReserved(scope);
            }
        }
        for (int i = 0; i < open.charges().size(); i++) {
            C charge = open.charges().get(i);
            adjust(open.spent(), i, (cancel ? 0 : actual(charge, costs)) - charge.cost());
        }
        reservations.put(id, open.close(now));
        return Settlement.DONE;
    }

    private static long actual(BoundCharge charge, Map<String, Long> costs) {
        for (Entry<String, Long> cost : costs.entrySet()) {
            if (charge.isOfScope(cost.getKey())) {
                return cost.getValue();
            }
        }
        return charge.cost();
    }

    /** Spends {@code difference} more of a charge, whether it fits or not, or gives it back if negative. */
    private void adjust(LedgerOutcome<C> spent, int index, long difference) {
        C charge = spent.charges().get(index);
        Budget kept = state.budget(charge);
        if (difference == 0 || isForSlots(charge) || (kept != null && kept.ledger() instanceof SlotLedger)) {
            return;
        }
        if (difference > 0) {
            Budget charged = kept == null || isEvictable(kept) ? fresh(charge.model()) : kept;
            charged.ledger().spend(difference, now.ticks(charged.model()));
            state.keep(charge, charged, now);
        } else if (kept != null && isStillSpent(spent, index, kept)) {
            kept.ledger().giveBack(-difference, spent.at().ticks(kept.model()), now.ticks(kept.model()));
            state.keep(charge, kept, now);
        }
    }

    private boolean isEvictable(Budget kept) {
        return kept.model().isEvictable(kept.ledger(), epoch(kept.model()), now.ticks(kept.model()));
    }

    /**
     * Whether a charge can still be given back: no reset came since, and its window has not ended. A budget under the
     * same policy checks the window itself.
     */
    private boolean isStillSpent(LedgerOutcome<C> spent, int index, Budget kept) {
        C charge = spent.charges().get(index);
        PolicyModel model = charge.model();
        return !state.wasReset(charge, spent.at(), spent.resetsSeen()[index], now)
                && (isUnder(model, kept)
                        || !model.hasEnded(
                                spent.at().ticks(model),
                                spent.readings().get(index).resetAfter(),
                                now.ticks(model)));
    }

    private boolean renewSlots(C charge, String lease, long end) {
        Budget kept = state.budget(charge);
        if (kept != null && kept.ledger() instanceof SlotLedger slots && slots.renew(lease, end, now.micros())) {
            state.keep(charge, kept, now);
            return true;
        }
        return false;
    }

    private @Nullable StoredHold<C> held(HoldTable<C> table, String id) {
        StoredHold<C> hold = table.get(id);
        return hold != null && hold.isHeld(now) ? hold : null;
    }

    /** The budget of a charge under its policy: the kept one, or a copy of what is left under another policy. */
    private Budget under(C charge) {
        PolicyModel model = charge.model();
        Budget kept = state.budget(charge);
        if (kept == null) {
            return fresh(model);
        }
        followCalendar(charge, kept);
        if (isUnder(model, kept)) {
            return kept;
        }
        if (kept.ledger() instanceof SlotLedger slots && model.policy() instanceof Concurrency resized) {
            return new Budget(model, slots.resized(resized.slots(), now.micros()));
        }
        Budget fresh = fresh(model);
        long spent = kept.model().spent(kept.ledger(), epoch(kept.model()), now.ticks(kept.model()));
        if (spent > 0 && !(fresh.ledger() instanceof SlotLedger)) {
            fresh.ledger().spend(Math.min(spent, model.policy().capacity()), now.ticks(model));
        }
        return fresh;
    }

    /** Keeps a budget whose count moved because the calendar was set back; a read moves it, whatever is decided. */
    private void followCalendar(C charge, Budget kept) {
        if (kept.model().followsCalendar()) {
            long[] before = kept.ledger().state();
            long unused = kept.ledger().available(now.wallMillis());
            if (!Arrays.equals(before, kept.ledger().state())) {
                state.keep(charge, kept, now);
            }
        }
    }

    private Budget fresh(PolicyModel model) {
        return new Budget(model, model.open(model.startsFilling() ? state.firstSeen(model, now) : 0));
    }

    private long epoch(PolicyModel model) {
        return model.startsFilling() ? state.firstSeenAt(model, now) : 0;
    }

    private Reading read(Budget budget, boolean spent, long cost) {
        return budget.model().read(budget.ledger(), spent, cost, now.ticks(budget.model()));
    }

    /** The total cost of the charges up to this one on its budget, at most {@link Long#MAX_VALUE}. */
    private long costTogether(List<C> charges, int index) {
        C charge = charges.get(index);
        long sum = charge.cost();
        for (int i = 0; i < index; i++) {
            if (state.isSameBudget(charges.get(i), charge)) {
                sum += Math.min(charges.get(i).cost(), Long.MAX_VALUE - sum);
            }
        }
        return sum;
    }

    private static boolean isUnder(PolicyModel model, Budget kept) {
        return kept.model() == model || kept.model().policy().equals(model.policy());
    }

    private static boolean isForSlots(BoundCharge charge) {
        return charge.model().policy() instanceof Concurrency;
    }

    private static List<Object> keys(List<? extends BoundCharge> charges) {
        List<Object> keys = new ArrayList<>(charges.size());
        charges.forEach(charge -> keys.add(charge.key()));
        return keys;
    }
}

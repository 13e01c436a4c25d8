package dev.weir.memory;

import dev.weir.Answer;
import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.DirectStore;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.SlotLedger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The store inside this process.
 *
 * <p><b>Guarantee.</b> Never one admission over a policy, under any concurrency. The clock is {@link System#nanoTime()},
 * which does not go back. Several charges are admitted together by looking first, then spending one after another, and
 * giving back if another thread was faster: never more than allowed is admitted, and a request may be refused while
 * another is about to give back. All is lost when the process ends.
 *
 * <p><b>Cost.</b> Token buckets and fixed windows whose numbers fit in one long (nearly all) take one compare-and-set,
 * no lock and no garbage. Sliding windows, slots and huge numbers take a lock of their own key for a few steps.
 *
 * <p><b>Bounds.</b> When {@link MemoryStoreOptions#maxEntries} is reached, whole budgets are forgotten first, which
 * changes no answer; then new keys share budgets, chosen by a secret hash. A shared budget admits no more than one key's
 * would, so memory is bounded and nobody's count is lost.
 */
public final class MemoryStore implements DirectStore {
    private final StoreClock clock;
    private final Gauges gauges;
    private final LongAdder swept = new LongAdder();
    private final LedgerTable ledgers;
    private final PackedTable table;
    private final Records<Reservation> reservations;
    private final Records<Lease> leases;
    private volatile boolean closed;

    private MemoryStore(MemoryStoreOptions options) {
        this.clock = options.newClock();
        this.gauges = new Gauges(clock);
        this.ledgers = new LedgerTable(options.maxLargeEntries(), swept);
        this.table = new PackedTable(options.maxEntries(), gauges, ledgers, swept);
        this.reservations = new Records<>("reservations", options.maxLargeEntries());
        this.leases = new Records<>("leases", options.maxLargeEntries());
    }

    public static MemoryStore create() {
        return create(MemoryStoreOptions.defaults());
    }

    public static MemoryStore create(MemoryStoreOptions options) {
        return new MemoryStore(options);
    }

    private record Reservation(MemoryDecision decision, long expiresAt, boolean closed) implements Records.Expiring {}

    private record Lease(String id, List<Charge> charges, long expiresAt) implements Records.Expiring {}

    @Override
    public Answer<Decision> consume(List<Charge> charges) {
        checkOpen();
        refuseSlots(charges);
        return decide(List.copyOf(charges), null);
    }

    @Override
    public Answer<Decision> peek(List<Charge> charges) {
        checkOpen();
        checkCharges(charges);
        MemoryDecision seen = newDecision(List.copyOf(charges), clock.precise());
        look(seen, 0);
        return seen;
    }

    @Override
    public Answer<Boolean> refund(Decision decision) {
        checkOpen();
        if (!(decision instanceof MemoryDecision own) || own.store() != this) {
            throw new IllegalArgumentException("the decision was made by another store");
        }
        boolean givesBack = own.isSpent() && own.refundOnce();
        if (givesBack) {
            giveBack(own.charges(), own.charges().size(), own.moment(), clock.precise(), null);
        }
        return Answer.of(givesBack);
    }

    @Override
    public Answer<Boolean> reset(List<Key> keys) {
        checkOpen();
        long now = clock.precise();
        for (Key key : keys) {
            synchronized (ledgers.lockOf(key.hash())) {
                table.reset(key.hash(), now);
                ledgers.reset(key.hash(), now);
            }
        }
        return Answer.of(true);
    }

    @Override
    public Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        checkOpen();
        Records.checkId(id);
        refuseSlots(charges);
        long ttlNanos = checkTtl(ttl);
        long now = clock.precise();
        reservations.makeRoom(now);
        MemoryDecision[] answer = new MemoryDecision[1];
        reservations.change(id, now, (same, open) -> {
            if (open != null) {
                answer[0] = open.decision;
                return open;
            }
            answer[0] = decide(List.copyOf(charges), null);
            return answer[0].admitted() ? new Reservation(answer[0], now + ttlNanos, false) : null;
        });
        return answer[0];
    }

    @Override
    public Answer<Settlement> settle(String id, Map<String, Long> costs) {
        checkOpen();
        costs.forEach(MemoryStore::checkActualCost);
        return close(id, costs, false);
    }

    @Override
    public Answer<Settlement> cancel(String id) {
        checkOpen();
        return close(id, Map.of(), true);
    }

    @Override
    public Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        checkOpen();
        Records.checkId(id);
        long ttlNanos = checkTtl(ttl);
        long now = clock.precise();
        leases.makeRoom(now);
        Decision[] answer = new Decision[1];
        leases.change(id, now, (same, held) -> {
            if (held != null) {
                answer[0] = stillHeld(held, now);
                return renewed(held, now, ttlNanos);
            }
            Lease wanted = new Lease(id, List.copyOf(charges), now + ttlNanos);
            answer[0] = decide(wanted.charges, wanted);
            return answer[0].admitted() ? wanted : null;
        });
        return answer[0];
    }

    @Override
    public Answer<Boolean> renew(String id, Duration ttl) {
        checkOpen();
        long ttlNanos = checkTtl(ttl);
        long now = clock.precise();
        boolean[] answer = new boolean[1];
        leases.change(id, now, (same, held) -> {
            answer[0] = held != null;
            return held == null ? null : renewed(held, now, ttlNanos);
        });
        return Answer.of(answer[0]);
    }

    @Override
    public Answer<Boolean> release(String id) {
        checkOpen();
        long now = clock.precise();
        boolean[] answer = new boolean[1];
        leases.change(id, now, (same, held) -> {
            answer[0] = held != null;
            if (held != null) {
                releaseSlots(held.charges, held.charges.size(), held.id);
            }
            return null;
        });
        return Answer.of(answer[0]);
    }

    @Override
    public @Nullable Lane lane(Policy policy) {
        Gauge gauge = gauges.of(policy);
        return gauge.packed == null ? null : new MemoryLane(this, gauge);
    }

    @Override
    public void close() {
        closed = true;
        clock.close();
    }

    /** How many budgets are in memory, among them some that are whole and await sweeping. */
    public long entries() {
        return table.size() + ledgers.size();
    }

    /** How many whole budgets have been forgotten so far. */
    public long swept() {
        return swept.sum();
    }

    /**
     * Forgets every budget that is whole, and what has expired. The store does so by itself, step by step, whenever new
     * keys come; calling it gives memory back when none do.
     */
    public void sweep() {
        long now = clock.precise();
        table.sweep(now);
        ledgers.sweep(now);
        reservations.sweep(now);
        leases.sweep(now);
    }

    Gauge gauge(Policy policy) {
        return gauges.of(policy);
    }

    StoreClock clock() {
        return clock;
    }

    PackedTable table() {
        return table;
    }

    /** Spends all charges, or none; slots are held by {@code lease}. */
    private MemoryDecision decide(List<Charge> charges, @Nullable Lease lease) {
        checkCharges(charges);
        if (charges.size() == 1) {
            Charge charge = charges.get(0);
            Gauge gauge = gauges.of(charge.policy());
            if (gauge.packed != null) {
                return takeOne(charges, charge, gauge);
            }
        }
        MemoryDecision decision = newDecision(charges, startTime(charges));
        while (true) {
            // The first charge need not be looked at: if it is refused when it is taken, nothing has been taken yet.
            boolean mayFit = look(decision, 1);
            if (!mayFit && clock.lags()) {
                retime(decision);
                mayFit = look(decision, 1);
            }
            int taken = mayFit ? takeAll(charges, decision, lease) : 0;
            if (taken == charges.size()) {
                return decision;
            }
            giveBack(charges, taken, decision.moment(), decision.time(), lease);
            retime(decision);
            if (!look(decision, 0)) {
                return decision;
            }
        }
    }

    private MemoryDecision takeOne(List<Charge> charges, Charge charge, Gauge gauge) {
        long now = clock.now();
        long hash = charge.key().hash();
        long mark = table.apply(Verb.TAKE, hash, gauge, charge.cost(), now);
        boolean mayFitNow = (mark & Slots.UNCHANGED) != 0 && clock.lags();
        while (mayFitNow || mark == Slots.STALE) {
            now = clock.precise();
            mark = takeNoticing(hash, gauge, charge.cost(), now);
            mayFitNow = false;
        }
        MemoryDecision decision = newDecision(charges, now);
        decision.mark(0, mark);
        return decision;
    }

    /** Takes with the present time what was refused with an earlier one. */
    boolean takeAgain(long hash, Gauge gauge, long cost) {
        long mark;
        do {
            mark = takeNoticing(hash, gauge, cost, clock.precise());
        } while (mark == Slots.STALE);
        return (mark & Slots.UNCHANGED) == 0;
    }

    private long takeNoticing(long hash, Gauge gauge, long cost, long now) {
        if (gauge.followsCalendar()) {
            table.apply(Verb.LOOK, hash, gauge, 0, now);
        }
        return table.apply(Verb.TAKE, hash, gauge, cost, now);
    }

    private MemoryDecision newDecision(List<Charge> charges, long now) {
        MemoryDecision decision = new MemoryDecision(this, charges, now);
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).policy() instanceof CalendarWindow) {
                decision.wallMillis(clock.epochMillis(now));
                break;
            }
        }
        return decision;
    }

    /** Lets the decision be made at the present time. */
    private void retime(MemoryDecision decision) {
        long now = clock.precise();
        decision.time(now);
        if (decision.knowsWallTime()) {
            decision.wallMillis(clock.epochMillis(now));
        }
    }

    /** Answers how many were taken before the first that no longer fits. */
    private int takeAll(List<Charge> charges, MemoryDecision taken, @Nullable Lease lease) {
        for (int i = 0; i < charges.size(); i++) {
            if (!take(charges.get(i), i, taken, lease)) {
                return i;
            }
        }
        return charges.size();
    }

    private boolean take(Charge charge, int index, MemoryDecision taken, @Nullable Lease lease) {
        Gauge gauge = gauges.of(charge.policy());
        long hash = charge.key().hash();
        if (gauge.packed != null) {
            long mark = table.apply(Verb.TAKE, hash, gauge, charge.cost(), taken.time());
            taken.mark(index, mark);
            return (mark & Slots.UNCHANGED) == 0;
        }
        Reading reading = ledgers.take(hash, gauge, taken.time(), table, (ledger, now) -> {
            // What is given back is found by the time at which it was spent.
            taken.time(now);
            return takeFrom(ledger, gauge, charge, now, lease);
        });
        taken.reading(index, reading);
        return reading instanceof Reading.Admitted;
    }

    private static Reading takeFrom(Ledger ledger, Gauge gauge, Charge charge, long now, @Nullable Lease lease) {
        long ticks = gauge.ticks(now);
        if (ledger.available(ticks) < charge.cost()) {
            return gauge.meter.read(ledger, false, charge.cost(), ticks);
        }
        if (ledger instanceof SlotLedger slots && lease != null) {
            slots.hold(lease.id, charge.cost(), lease.expiresAt);
        } else {
            ledger.spend(charge.cost(), ticks);
        }
        return gauge.meter.read(ledger, true, charge.cost(), ticks);
    }

    /** Writes down how the budgets are, from one charge on, and answers whether these charges fit. */
    private boolean look(MemoryDecision seen, int from) {
        List<Charge> charges = seen.charges();
        boolean allFit = true;
        for (int i = from; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            Gauge gauge = gauges.of(charge.policy());
            if (gauge.packed != null) {
                long state = table.apply(Verb.LOOK, charge.key().hash(), gauge, 0, seen.time()) & ~Slots.UNCHANGED;
                seen.mark(i, state | Slots.UNCHANGED);
                allFit &= gauge.fits(state, seen.costTogether(i), seen.time());
            } else {
                Reading reading = lookAtLedger(charge, seen.costTogether(i), gauge, seen.time());
                seen.reading(i, reading);
                allFit &= reading instanceof Reading.Fits;
            }
        }
        return allFit;
    }

    private Reading lookAtLedger(Charge charge, long cost, Gauge gauge, long now) {
        return ledgers.look(
                charge.key().hash(),
                gauge,
                now,
                table,
                (ledger, time) -> gauge.meter.read(ledger, false, cost, gauge.ticks(time)));
    }

    private void giveBack(List<Charge> charges, int count, Moment spent, long now, @Nullable Lease lease) {
        for (int i = 0; i < count; i++) {
            Charge charge = charges.get(i);
            adjust(charge, -charge.cost(), spent, now);
        }
        if (lease != null) {
            releaseSlots(charges, count, lease.id);
        }
    }

    /** Spends so much more, or gives so much back, whether it fits or not. */
    private void adjust(Charge charge, long difference, Moment spent, long now) {
        if (difference == 0 || charge.policy() instanceof Concurrency) {
            return;
        }
        Gauge gauge = gauges.of(charge.policy());
        long hash = charge.key().hash();
        if (gauge.packed != null && !ledgers.inUse()) {
            adjustPacked(hash, gauge, difference, spent, now);
            return;
        }
        // Under its lock the key stays where it is, in the table or in a ledger.
        synchronized (ledgers.lockOf(hash)) {
            if (ledgers.adjust(hash, now, adjustment(difference, spent))) {
                return;
            }
            if (gauge.packed != null) {
                adjustPacked(hash, gauge, difference, spent, now);
            } else if (!table.adjust(verb(difference), hash, Math.abs(difference), spent, now)) {
                adjustAbsent(hash, gauge, difference, spent, now);
            }
        }
    }

    private void adjustPacked(long hash, Gauge gauge, long difference, Moment spent, long now) {
        if (difference > 0) {
            table.apply(Verb.SPEND, hash, gauge, difference, now);
        } else {
            table.giveBack(hash, gauge, -difference, spent, now);
        }
    }

    private void adjustAbsent(long hash, Gauge gauge, long difference, Moment spent, long now) {
        if (difference > 0) {
            ledgers.spendFirst(hash, gauge, now, adjustment(difference, spent));
        } else {
            ledgers.giveBackShared(hash, gauge, now, adjustment(difference, spent));
        }
    }

    private static Verb verb(long difference) {
        return difference > 0 ? Verb.SPEND : Verb.GIVE_BACK;
    }

    private static LedgerTable.Adjustment adjustment(long difference, Moment spent) {
        return (ledger, gauge, now) -> {
            if (ledger instanceof SlotLedger) {
                return;
            }
            if (difference > 0) {
                ledger.spend(difference, gauge.ticks(now));
            } else {
                ledger.giveBack(-difference, gauge.ticks(spent), gauge.ticks(now));
            }
        };
    }

    private Answer<Settlement> close(String id, Map<String, Long> costs, boolean cancel) {
        Settlement[] answer = {Settlement.UNKNOWN};
        long now = clock.precise();
        reservations.change(id, now, (same, open) -> {
            if (open == null || open.closed) {
                answer[0] = open == null ? Settlement.UNKNOWN : Settlement.ALREADY_CLOSED;
                return open;
            }
            checkScopes(costs, open.decision.charges());
            for (Charge charge : open.decision.charges()) {
                long actual = cancel ? 0 : costs.getOrDefault(charge.key().scope(), charge.cost());
                adjust(charge, actual - charge.cost(), open.decision.moment(), now);
            }
            answer[0] = Settlement.DONE;
            return new Reservation(open.decision, open.expiresAt, true);
        });
        return Answer.of(answer[0]);
    }

    /** The answer to one who asks again for what it holds. */
    private Decision stillHeld(Lease held, long now) {
        MemoryDecision decision = newDecision(held.charges, now);
        look(decision, 0);
        for (int i = 0; i < held.charges.size(); i++) {
            Reading seen = decision.reading(i);
            decision.reading(i, new Reading.Admitted(seen.remaining(), seen.resetAfter()));
        }
        return decision;
    }

    private Lease renewed(Lease held, long now, long ttlNanos) {
        Lease renewed = new Lease(held.id, held.charges, now + ttlNanos);
        for (Charge charge : held.charges) {
            onSlots(charge, slots -> slots.renew(held.id, renewed.expiresAt, now));
        }
        return renewed;
    }

    private void releaseSlots(List<Charge> charges, int count, String id) {
        for (int i = 0; i < count; i++) {
            onSlots(charges.get(i), slots -> slots.release(id));
        }
    }

    private void onSlots(Charge charge, Predicate<SlotLedger> change) {
        if (charge.policy() instanceof Concurrency) {
            ledgers.onSlots(charge.key().hash(), gauges.of(charge.policy()), change);
        }
    }

    /** The time, without delay if a ledger is among the budgets: ledgers find what they give back by its time. */
    private long startTime(List<Charge> charges) {
        if (clock.lags()) {
            for (int i = 0; i < charges.size(); i++) {
                if (gauges.of(charges.get(i).policy()).packed == null) {
                    return clock.precise();
                }
            }
        }
        return clock.now();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
    }

    private static void checkCharges(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("there are no charges; a decision needs at least one");
        }
    }

    private static void refuseSlots(List<Charge> charges) {
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).policy() instanceof Concurrency) {
                throw new IllegalArgumentException(
                        "charge " + i + " is for slots; they are held by a lease: use acquire, which gives them back");
            }
        }
    }

    private static long checkTtl(Duration ttl) {
        if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(LONGEST_TTL) > 0) {
            throw new IllegalArgumentException("ttl is " + ttl + "; it must be positive and at most " + LONGEST_TTL);
        }
        return ttl.toNanos();
    }

    private static void checkActualCost(String scope, Long cost) {
        if (cost < 0 || cost > Policy.MAX_COUNT) {
            throw new IllegalArgumentException(
                    "the cost of '" + scope + "' is " + cost + "; it must be 0 to " + Policy.MAX_COUNT);
        }
    }

    private static void checkScopes(Map<String, Long> costs, List<Charge> charges) {
        for (String scope : costs.keySet()) {
            if (charges.stream().noneMatch(charge -> charge.key().scope().equals(scope))) {
                throw new IllegalArgumentException("the reservation holds nothing for '" + scope + "'");
            }
        }
    }
}

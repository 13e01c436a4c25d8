package dev.weir.memory;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.DirectStore;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.StoreArguments;
import dev.weir.StoreStatistics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The in-process store.
 *
 * <p><b>Guarantee.</b> Never one admission over a policy, under any concurrency. The clock is {@link
 * System#nanoTime()}, which does not go back. Several charges are decided by reading all budgets first, then spending
 * one after another, and giving back if another thread was faster. Never more than allowed is admitted; a request may
 * be refused while another is about to give back. All state is lost when the process ends.
 *
 * <p><b>Cost.</b> Token buckets and fixed windows whose numbers fit in one long (nearly all) take one compare-and-set,
 * no lock and no garbage. Sliding windows, concurrency slots and huge numbers take a lock of their own key for a few
 * steps.
 *
 * <p><b>Bounds.</b> When {@link MemoryStoreOptions#maxEntries} is reached, full budgets are evicted first, which does
 * not affect results. Then new keys share budgets, chosen by a secret hash. A shared budget admits no more than that of
 * one key, so memory is bounded and no count is lost.
 */
public final class MemoryStore implements DirectStore, StoreStatistics {
    private static final long CLOSED_NANOS = CLOSED_TTL.toNanos();

    private final StoreClock clock;
    private final PolicyRegistry policyRegistry;
    private final SweepCounts swept = new SweepCounts();
    private final LedgerTable ledgers;
    private final PackedTable table;
    private final MemoryDecider decider;
    private final Records<Reservation> reservations;
    private final Records<Lease> leases;
    private volatile boolean closed;

    MemoryStore(MemoryStoreOptions options, StoreClock clock) {
        this.clock = clock;
        this.policyRegistry = new PolicyRegistry(clock);
        this.ledgers = new LedgerTable(options.maxLargeEntries(), swept);
        this.table = new PackedTable(options.maxEntries(), policyRegistry, ledgers, swept);
        this.decider = new MemoryDecider(clock, policyRegistry, table, ledgers, new Resets(options.maxLargeEntries()));
        this.reservations = new Records<>("reservations", options.maxLargeEntries(), clock);
        this.leases = new Records<>("leases", options.maxLargeEntries(), clock);
    }

    public static MemoryStore create() {
        return create(MemoryStoreOptions.defaults());
    }

    public static MemoryStore create(MemoryStoreOptions options) {
        return new MemoryStore(options, options.newClock());
    }

    private record Reservation(MemoryDecision decision, long expiresAt, boolean isClosed) implements Records.Expiring {
        /** Kept a while longer, so that its id stays known. */
        Reservation closedAt(long now) {
            return new Reservation(decision, Math.min(expiresAt, now + CLOSED_NANOS), true);
        }
    }

    private record Lease(String id, List<Charge> charges, long expiresAt) implements Records.Expiring {}

    @Override
    public Answer<Decision> consume(List<Charge> charges) {
        checkOpen();
        StoreArguments.checkConsumed(charges);
        return decider.decide(List.copyOf(charges), null);
    }

    @Override
    public Answer<Decision> peek(List<Charge> charges) {
        checkOpen();
        StoreArguments.checkCharges(charges);
        MemoryDecision seen = decider.newDecision(List.copyOf(charges), clock.precise());
        decider.look(seen, 0);
        return seen;
    }

    @Override
    public Answer<Boolean> refund(Decision decision) {
        checkOpen();
        if (!(decision instanceof MemoryDecision own) || !own.isOf(policyRegistry)) {
            throw StoreArguments.foreignDecision();
        }
        long now = clock.precise();
        boolean givesBack = own.isSpent() && !own.isExpired(now) && own.refundOnce();
        if (givesBack) {
            decider.giveBack(own, own.charges().size(), now, null);
            String id = own.reservation();
            if (id != null) {
                reservations.change(
                        id, (open, time) -> open != null && open.decision == own ? open.closedAt(time) : open);
            }
        }
        return Answer.of(givesBack);
    }

    @Override
    public Answer<Boolean> reset(List<Key> keys) {
        checkOpen();
        long now = clock.now();
        for (Key key : keys) {
            decider.reset(key.hash(), now);
        }
        return Answer.of(true);
    }

    @Override
    public Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        checkOpen();
        StoreArguments.checkId(id);
        StoreArguments.checkConsumed(charges);
        long ttlNanos = StoreArguments.ttlNanos(ttl);
        reservations.makeRoom(id);
        MemoryDecision[] answer = new MemoryDecision[1];
        reservations.change(id, (open, now) -> {
            if (open != null) {
                checkSameKeys(id, open.decision.charges(), charges);
                answer[0] = open.decision;
                return open;
            }
            answer[0] = decider.decide(List.copyOf(charges), null);
            if (!answer[0].admitted()) {
                return null;
            }
            answer[0].reservedAs(id, now + ttlNanos);
            return new Reservation(answer[0], now + ttlNanos, false);
        });
        return answer[0];
    }

    @Override
    public Answer<Settlement> settle(String id, Map<String, Long> costs) {
        checkOpen();
        StoreArguments.checkCosts(costs);
        return close(id, costs, false);
    }

    @Override
    public Answer<Settlement> cancel(String id) {
        checkOpen();
        return close(id, Map.of(), true);
    }

    @Override
    public Answer<Boolean> prolong(String id, Duration ttl) {
        checkOpen();
        long ttlNanos = StoreArguments.ttlNanos(ttl);
        boolean[] answer = new boolean[1];
        reservations.change(id, (open, now) -> {
            if (open == null || open.decision.isRefunded()) {
                return open;
            }
            answer[0] = true;
            open.decision.expiresAt(now + ttlNanos);
            return new Reservation(open.decision, now + ttlNanos, false);
        });
        return Answer.of(answer[0]);
    }

    @Override
    public Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        checkOpen();
        StoreArguments.checkId(id);
        StoreArguments.checkCharges(charges);
        long ttlNanos = StoreArguments.ttlNanos(ttl);
        leases.makeRoom(id);
        Decision[] answer = new Decision[1];
        leases.change(id, (held, now) -> {
            Lease renewed = held == null ? null : renewed(held, now, ttlNanos);
            if (renewed != null) {
                answer[0] = stillHeld(renewed, now);
                return renewed;
            }
            Lease wanted = new Lease(id, List.copyOf(charges), now + ttlNanos);
            answer[0] = decider.decide(wanted.charges, new MemoryDecider.LeaseHolder(id, wanted.expiresAt));
            return answer[0].admitted() ? wanted : null;
        });
        return answer[0];
    }

    @Override
    public Answer<Boolean> renew(String id, Duration ttl) {
        checkOpen();
        long ttlNanos = StoreArguments.ttlNanos(ttl);
        boolean[] answer = new boolean[1];
        leases.change(id, (held, now) -> {
            Lease renewed = held == null ? null : renewed(held, now, ttlNanos);
            answer[0] = renewed != null;
            return renewed;
        });
        return Answer.of(answer[0]);
    }

    @Override
    public Answer<Boolean> release(String id) {
        checkOpen();
        boolean[] answer = new boolean[1];
        leases.change(id, (held, now) -> {
            answer[0] = held != null;
            if (held != null) {
                decider.releaseSlots(held.charges, held.charges.size(), held.id);
            }
            return null;
        });
        return Answer.of(answer[0]);
    }

    @Override
    public @Nullable FastPath fastPath(Policy policy) {
        BoundPolicy boundPolicy = policyRegistry.of(policy);
        return boundPolicy.packed == null ? null : new MemoryFastPath(this, boundPolicy);
    }

    @Override
    public void close() {
        closed = true;
        clock.close();
    }

    @Override
    public long entries() {
        return table.size() + ledgers.size();
    }

    @Override
    public long swept() {
        return swept.removals();
    }

    @Override
    public long sweeps() {
        return swept.runs();
    }

    /**
     * Evicts every full budget and every expired record. The store does so by itself, step by step, whenever new keys
     * come; a call frees memory when none do.
     */
    public void sweep() {
        long now = clock.precise();
        table.sweep(now);
        ledgers.sweep(now);
        reservations.sweep(now);
        leases.sweep(now);
    }

    StoreClock clock() {
        return clock;
    }

    /** The number of reservations and leases in memory. Some of them may be closed or expired. */
    long holds() {
        return reservations.size() + leases.size();
    }

    PackedTable table() {
        return table;
    }

    MemoryDecider decider() {
        return decider;
    }

    private Answer<Settlement> close(String id, Map<String, Long> costs, boolean cancel) {
        Settlement[] answer = {Settlement.UNKNOWN};
        reservations.change(id, (open, now) -> {
            if (open == null) {
                return null;
            }
            List<Charge> charges = open.decision.charges();
            if (!open.decision.isRefunded()) {
                checkScopes(costs, charges);
            }
            // A settled reservation cannot be refunded, nor a refunded one settled.
            if (!open.decision.refundOnce()) {
                answer[0] = Settlement.ALREADY_CLOSED;
                return open;
            }
            for (int i = 0; i < charges.size(); i++) {
                Charge charge = charges.get(i);
                long actual = cancel ? 0 : costs.getOrDefault(charge.key().scope(), charge.cost());
                decider.adjust(open.decision, i, actual - charge.cost(), now);
            }
            answer[0] = Settlement.DONE;
            return open.closedAt(now);
        });
        return Answer.of(answer[0]);
    }

    /**
     * The result of repeating {@code acquire} with a held lease. Only the first decision can give back what was spent.
     */
    private Decision stillHeld(Lease held, long now) {
        MemoryDecision decision = decider.newDecision(held.charges, now);
        decider.look(decision, 0);
        for (int i = 0; i < held.charges.size(); i++) {
            Reading seen = decision.reading(i);
            decision.reading(i, new Reading.Admitted(seen.remaining(), seen.resetAfter()));
        }
        boolean unused = decision.refundOnce();
        return decision;
    }

    /** The lease with a new end; null if a slot was lost, because it had expired and another lease took it. */
    private @Nullable Lease renewed(Lease held, long now, long ttlNanos) {
        Lease renewed = new Lease(held.id, held.charges, now + ttlNanos);
        for (Charge charge : held.charges) {
            if (!decider.onSlots(charge, slots -> slots.renew(held.id, renewed.expiresAt, now))) {
                decider.releaseSlots(held.charges, held.charges.size(), held.id);
                return null;
            }
        }
        return renewed;
    }

    private void checkOpen() {
        StoreArguments.checkOpen(closed);
    }

    private static void checkSameKeys(String id, List<Charge> reserved, List<Charge> asked) {
        boolean same = reserved.size() == asked.size();
        for (int i = 0; same && i < asked.size(); i++) {
            same = reserved.get(i).key().equals(asked.get(i).key());
        }
        if (!same) {
            throw StoreArguments.otherKeys(id);
        }
    }

    private static void checkScopes(Map<String, Long> costs, List<Charge> charges) {
        for (String scope : costs.keySet()) {
            if (charges.stream().noneMatch(charge -> charge.key().scope().equals(scope))) {
                throw StoreArguments.notReserved(scope);
            }
        }
    }
}

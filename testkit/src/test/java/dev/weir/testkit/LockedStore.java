package dev.weir.testkit;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.StoreArguments;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.ResetMark;
import dev.weir.algorithm.Resolution;
import dev.weir.ledger.BoundCharge;
import dev.weir.ledger.Budget;
import dev.weir.ledger.HoldTable;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.LedgerOperations;
import dev.weir.ledger.LedgerOutcome;
import dev.weir.ledger.LedgerState;
import dev.weir.ledger.StoreTime;
import dev.weir.ledger.StoredHold;
import dev.weir.memory.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The simplest store: core's operations on ledgers in microseconds, under one lock, without eviction.
 *
 * <p>It shows that a store unlike the memory store can pass the contract. It also runs the vectors and the histories on
 * core's ledgers directly.
 */
final class LockedStore implements Store {
    private final TimeSource clock;
    private final State state = new State();
    private final Table reservations = new Table();
    private final Table leases = new Table();
    private final long startMicros;
    private final long startNanos;
    private long latest;
    private boolean closed;

    LockedStore(TimeSource clock) {
        this.clock = clock;
        this.startMicros = clock.epochMillis() * 1_000;
        this.startNanos = clock.nanos();
    }

    private record Bound(Charge charge, PolicyModel model) implements BoundCharge {
        static List<Bound> all(List<Charge> charges) {
            return charges.stream()
                    .map(charge -> new Bound(charge, PolicyModel.at(Resolution.MICROS, charge.policy())))
                    .toList();
        }

        @Override
        public Key key() {
            return charge.key();
        }

        @Override
        public long cost() {
            return charge.cost();
        }

        @Override
        public boolean isOfScope(String scope) {
            return key().scope().equals(scope);
        }
    }

    private static final class State implements LedgerState<Bound> {
        private final Map<Policy, Long> firstSeen = new HashMap<>();
        private final Map<Key, Budget> budgets = new HashMap<>();
        private final Map<Key, ResetMark> resets = new HashMap<>();

        @Override
        public Budget budget(Bound charge) {
            return budgets.get(charge.key());
        }

        @Override
        public void keep(Bound charge, Budget budget, StoreTime now) {
            budgets.put(charge.key(), budget);
        }

        @Override
        public long firstSeen(PolicyModel model, StoreTime now) {
            return firstSeen.computeIfAbsent(model.policy(), unseen -> now.ticks(model));
        }

        void reset(Key key, StoreTime now) {
            budgets.remove(key);
            resets.compute(key, (same, mark) -> ResetMark.next(mark, now.micros()));
        }

        @Override
        public long resetsSeen(Bound charge, StoreTime now) {
            ResetMark mark = resets.get(charge.key());
            return mark == null ? 0 : mark.seen(now.micros());
        }

        @Override
        public boolean wasReset(Bound charge, StoreTime spentAt, long seen, StoreTime now) {
            ResetMark mark = resets.get(charge.key());
            return mark != null && mark.isRemembered(now.micros()) && mark.cameAfter(spentAt.micros(), (int) seen);
        }

        @Override
        public void forgetResets(Bound charge) {
            resets.remove(charge.key());
        }
    }

    private static final class Table implements HoldTable<Bound> {
        private final Map<String, StoredHold<Bound>> holds = new HashMap<>();

        @Override
        public StoredHold<Bound> get(String id) {
            return holds.get(id);
        }

        @Override
        public void put(String id, StoredHold<Bound> hold) {
            holds.put(id, hold);
        }

        @Override
        public void remove(String id) {
            holds.remove(id);
        }
    }

    @Override
    public synchronized Answer<Decision> consume(List<Charge> charges) {
        StoreArguments.checkConsumed(charges);
        return decision(operations().consume(Bound.all(charges)), null);
    }

    @Override
    public synchronized Answer<Decision> peek(List<Charge> charges) {
        StoreArguments.checkCharges(charges);
        return decision(operations().peek(Bound.all(charges)), null);
    }

    @Override
    public synchronized Answer<Boolean> refund(Decision decision) {
        LedgerOperations<Bound> operations = operations();
        LedgerDecision own = LedgerDecision.of(this, decision);
        if (!own.refundOnce()) {
            return Answer.of(false);
        }
        if (own.reservation() != null) {
            return Answer.of(operations.refundReservation(own.reservation(), own.storeTime()));
        }
        operations.refund(own.spent(Bound.all(own.charges())));
        return Answer.of(true);
    }

    @Override
    public synchronized Answer<Boolean> reset(List<Key> keys) {
        StoreTime now = now();
        keys.forEach(key -> state.reset(key, now));
        return Answer.of(true);
    }

    @Override
    public synchronized Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        StoreArguments.checkId(id);
        StoreArguments.checkConsumed(charges);
        return decision(operations().reserve(id, Bound.all(charges), StoreArguments.ttlMicros(ttl)), id);
    }

    @Override
    public synchronized Answer<Settlement> settle(String id, Map<String, Long> costs) {
        StoreArguments.checkCosts(costs);
        return Answer.of(operations().settle(id, costs));
    }

    @Override
    public synchronized Answer<Settlement> cancel(String id) {
        return Answer.of(operations().cancel(id));
    }

    @Override
    public synchronized Answer<Boolean> prolong(String id, Duration ttl) {
        return Answer.of(operations().prolong(id, StoreArguments.ttlMicros(ttl)));
    }

    @Override
    public synchronized Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        StoreArguments.checkId(id);
        StoreArguments.checkCharges(charges);
        return decision(operations().acquire(id, Bound.all(charges), StoreArguments.ttlMicros(ttl)), null);
    }

    @Override
    public synchronized Answer<Boolean> renew(String id, Duration ttl) {
        return Answer.of(operations().renew(id, StoreArguments.ttlMicros(ttl)));
    }

    @Override
    public synchronized Answer<Boolean> release(String id) {
        return Answer.of(operations().release(id));
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    private LedgerDecision decision(LedgerOutcome<Bound> outcome, String reservation) {
        List<Charge> charges = outcome.charges().stream().map(Bound::charge).toList();
        return LedgerDecision.of(this, charges, outcome, reservation);
    }

    private LedgerOperations<Bound> operations() {
        return new LedgerOperations<>(state, reservations, leases, now());
    }

    /** The current time, which never goes back. */
    private StoreTime now() {
        StoreArguments.checkOpen(closed);
        latest = Math.max(latest, startMicros + (clock.nanos() - startNanos) / 1_000);
        return new StoreTime(latest, clock.epochMillis());
    }
}

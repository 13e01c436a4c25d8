package dev.weir.testkit;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.ResetMark;
import dev.weir.algorithm.Resolution;
import dev.weir.algorithm.SlotLedger;
import dev.weir.memory.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * The plainest store there is: core's ledgers on microseconds, under one lock, forgetting nothing.
 *
 * <p>It shows that the contract can be passed by a store that is nothing like the memory store, and lets the vectors and
 * the histories see core's ledgers themselves.
 */
final class LockedStore implements Store {
    private final TimeSource clock;
    private final Map<Policy, Long> met = new HashMap<>();
    private final Map<Key, Kept> budgets = new HashMap<>();
    private final Map<Key, ResetMark> resets = new HashMap<>();
    private final Map<String, Reservation> reservations = new HashMap<>();
    private final Map<String, Lease> leases = new HashMap<>();
    private final Set<Locked> refunded = new HashSet<>();
    private final long startMicros;
    private final long startNanos;
    private long latest;
    private boolean closed;

    LockedStore(TimeSource clock) {
        this.clock = clock;
        this.startMicros = clock.epochMillis() * 1_000;
        this.startNanos = clock.nanos();
    }

    private record Kept(Meter meter, Ledger ledger) {}

    private record Reservation(Locked decision, long end) {}

    private record Lease(List<Charge> charges, long end) {}

    /** Compared by identity: two decisions are never the same. */
    private final class Locked implements Decision {
        private final List<Charge> charges;
        private final List<Reading> readings;
        private final boolean spent;
        private final long time;
        private final long millis;
        private final Map<Key, Integer> resetsSeen = new HashMap<>();
        private long end = Long.MAX_VALUE;

        Locked(List<Charge> charges, List<Reading> readings, boolean spent, long time, long millis) {
            this.charges = charges;
            this.readings = readings;
            this.spent = spent;
            this.time = time;
            this.millis = millis;
        }

        LockedStore store() {
            return LockedStore.this;
        }

        @Override
        public boolean admitted() {
            return obstacle() == null;
        }

        @Override
        public List<Charge> charges() {
            return charges;
        }

        @Override
        public Reading reading(int index) {
            return readings.get(index);
        }

        @Override
        public long time() {
            return time;
        }
    }

    @Override
    public synchronized Answer<Decision> consume(List<Charge> charges) {
        refuseSlots(charges);
        return decide(charges, null, 0);
    }

    @Override
    public synchronized Answer<Decision> peek(List<Charge> charges) {
        return look(checked(charges));
    }

    @Override
    public synchronized Answer<Boolean> refund(Decision decision) {
        if (!(decision instanceof Locked own) || own.store() != this) {
            throw new IllegalArgumentException("the decision was made by another store");
        }
        boolean gives = own.spent && now() < own.end && refunded.add(own);
        if (gives) {
            adjustAll(own, charge -> 0);
            reservations.replaceAll((id, known) -> known.decision == own ? closed(known) : known);
        }
        return Answer.of(gives);
    }

    @Override
    public synchronized Answer<Boolean> reset(List<Key> keys) {
        for (Key key : keys) {
            budgets.remove(key);
            resets.compute(key, (same, mark) -> ResetMark.next(mark, now()));
        }
        return Answer.of(true);
    }

    @Override
    public synchronized Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        checkId(id);
        checkTtl(ttl);
        refuseSlots(checked(charges));
        Reservation open = reservations.get(id);
        if (open != null && now() < open.end) {
            if (!keys(open.decision.charges).equals(keys(charges))) {
                throw new IllegalArgumentException("the reservation '" + id + "' was made for other keys");
            }
            return open.decision;
        }
        Locked decision = decide(charges, null, 0);
        if (decision.admitted()) {
            decision.end = now() + ttl.toNanos() / 1_000;
            reservations.put(id, new Reservation(decision, decision.end));
        }
        return decision;
    }

    @Override
    public synchronized Answer<Settlement> settle(String id, Map<String, Long> costs) {
        for (long cost : costs.values()) {
            if (cost < 0 || cost > Policy.MAX_COUNT) {
                throw new IllegalArgumentException("the cost is " + cost + "; it must be 0 to " + Policy.MAX_COUNT);
            }
        }
        return close(
                id, costs.keySet(), charge -> costs.getOrDefault(charge.key().scope(), charge.cost()));
    }

    @Override
    public synchronized Answer<Settlement> cancel(String id) {
        return close(id, Set.of(), charge -> 0);
    }

    @Override
    public synchronized Answer<Boolean> prolong(String id, Duration ttl) {
        checkTtl(ttl);
        Reservation open = reservations.get(id);
        if (open == null || now() >= open.end || refunded.contains(open.decision)) {
            return Answer.of(false);
        }
        open.decision.end = now() + ttl.toNanos() / 1_000;
        reservations.put(id, new Reservation(open.decision, open.decision.end));
        return Answer.of(true);
    }

    @Override
    public synchronized Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        checkId(id);
        checkTtl(ttl);
        Lease held = leases.get(id);
        if (held != null && renew(id, ttl).now()) {
            Locked seen = look(held.charges);
            return new Locked(held.charges, asAdmitted(seen), false, seen.time, seen.millis);
        }
        long end = now() + ttl.toNanos() / 1_000;
        Locked decision = decide(charges, id, end);
        if (decision.admitted()) {
            leases.put(id, new Lease(decision.charges, end));
        }
        return decision;
    }

    @Override
    public synchronized Answer<Boolean> renew(String id, Duration ttl) {
        checkTtl(ttl);
        Lease held = leases.get(id);
        if (held == null || now() >= held.end) {
            return Answer.of(false);
        }
        long end = now() + ttl.toNanos() / 1_000;
        for (Charge charge : held.charges) {
            if (charge.policy() instanceof Concurrency && !renewSlots(charge.key(), id, end)) {
                release(id);
                return Answer.of(false);
            }
        }
        leases.put(id, new Lease(held.charges, end));
        return Answer.of(true);
    }

    private boolean renewSlots(Key key, String lease, long end) {
        Kept kept = budgets.get(key);
        return kept != null && kept.ledger instanceof SlotLedger slots && slots.renew(lease, end, now());
    }

    @Override
    public synchronized Answer<Boolean> release(String id) {
        Lease held = leases.remove(id);
        if (held == null || now() >= held.end) {
            return Answer.of(false);
        }
        slots(held).forEach(slots -> slots.release(id));
        return Answer.of(true);
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    /** All or nothing; slots are held by {@code lease} until {@code end}. */
    private Locked decide(List<Charge> charges, String lease, long end) {
        Locked seen = look(checked(charges));
        if (!seen.admitted()) {
            return seen;
        }
        List<Reading> readings = new ArrayList<>();
        for (Charge charge : seen.charges) {
            Kept kept = under(charge);
            budgets.put(charge.key(), kept);
            if (kept.ledger instanceof SlotLedger slots) {
                slots.hold(lease, charge.cost(), end);
            } else {
                kept.ledger.spend(charge.cost(), ticks(kept.meter, seen));
            }
            readings.add(kept.meter.read(kept.ledger, true, charge.cost(), ticks(kept.meter, seen)));
        }
        Locked decision = new Locked(seen.charges, readings, true, seen.time, seen.millis);
        for (Charge charge : seen.charges) {
            ResetMark mark = resets.get(charge.key());
            if (charge.policy() instanceof Concurrency) {
                resets.remove(charge.key());
            } else if (mark != null) {
                decision.resetsSeen.put(charge.key(), mark.seen(seen.time));
            }
        }
        return decision;
    }

    private Locked look(List<Charge> charges) {
        Locked seen = new Locked(List.copyOf(charges), new ArrayList<>(), false, now(), clock.epochMillis());
        Map<Key, Long> asked = new HashMap<>();
        for (Charge charge : charges) {
            Kept kept = under(charge);
            long sum = asked.merge(charge.key(), charge.cost(), (a, b) -> a + Math.min(b, Long.MAX_VALUE - a));
            seen.readings.add(kept.meter.read(kept.ledger, false, sum, ticks(kept.meter, seen)));
        }
        return seen;
    }

    private static List<Reading> asAdmitted(Locked seen) {
        List<Reading> readings = new ArrayList<>();
        seen.readings.forEach(reading -> readings.add(new Reading.Admitted(reading.remaining(), reading.resetAfter())));
        return readings;
    }

    /** The key's budget as the charge's policy has it; another policy's is left as it is. */
    private Kept under(Charge charge) {
        Kept kept = budgets.get(charge.key());
        if (kept != null && kept.meter.policy().equals(charge.policy())) {
            return kept;
        }
        Kept fresh = fresh(charge.policy());
        if (kept == null) {
            return fresh;
        }
        if (kept.ledger instanceof SlotLedger slots && charge.policy() instanceof Concurrency resized) {
            return new Kept(fresh.meter, slots.resized(resized.slots()));
        }
        long spent = kept.meter.spent(kept.ledger, metAt(kept.meter), ticks(kept.meter));
        if (spent > 0) {
            fresh.ledger.spend(Math.min(spent, charge.policy().capacity()), ticks(fresh.meter));
        }
        return fresh;
    }

    private Kept fresh(Policy policy) {
        Meter meter = Meter.at(Resolution.MICROS, policy);
        return new Kept(meter, meter.open(metAt(meter)));
    }

    private long metAt(Meter meter) {
        return met.computeIfAbsent(meter.policy(), unmet -> ticks(meter));
    }

    private void adjustAll(Locked decision, ToLongFunction<Charge> actual) {
        for (int i = 0; i < decision.charges.size(); i++) {
            Charge charge = decision.charges.get(i);
            adjust(charge, actual.applyAsLong(charge) - charge.cost(), decision, decision.readings.get(i));
        }
    }

    private void adjust(Charge charge, long difference, Locked decision, Reading reading) {
        Kept kept = budgets.get(charge.key());
        if (charge.policy() instanceof Concurrency || difference == 0) {
            return;
        }
        if (difference > 0) {
            boolean isWhole =
                    kept == null || kept.meter.isForgettable(kept.ledger, metAt(kept.meter), ticks(kept.meter));
            Kept charged = isWhole ? fresh(charge.policy()) : kept;
            charged.ledger.spend(difference, ticks(charged.meter));
            budgets.put(charge.key(), charged);
        } else if (kept != null && isStillSpent(charge, decision, reading, kept)) {
            kept.ledger.giveBack(-difference, ticks(kept.meter, decision), ticks(kept.meter));
        }
    }

    private boolean isStillSpent(Charge charge, Locked decision, Reading reading, Kept kept) {
        ResetMark mark = resets.get(charge.key());
        if (mark != null
                && mark.isRemembered(now())
                && mark.cameAfter(decision.time, decision.resetsSeen.getOrDefault(charge.key(), 0))) {
            return false;
        }
        Meter meter = Meter.at(Resolution.MICROS, charge.policy());
        return kept.meter.policy().equals(charge.policy())
                || !meter.hasEnded(ticks(meter, decision), reading.resetAfter(), ticks(meter));
    }

    private static List<Key> keys(List<Charge> charges) {
        return charges.stream().map(Charge::key).toList();
    }

    private List<SlotLedger> slots(Lease held) {
        List<SlotLedger> slots = new ArrayList<>();
        for (Charge charge : held.charges) {
            Kept kept = budgets.get(charge.key());
            if (kept != null && kept.ledger instanceof SlotLedger ledger) {
                slots.add(ledger);
            }
        }
        return slots;
    }

    private Reservation closed(Reservation known) {
        return new Reservation(known.decision, Math.min(known.end, now() + CLOSED_TTL.toNanos() / 1_000));
    }

    private Answer<Settlement> close(String id, Set<String> scopes, ToLongFunction<Charge> actual) {
        Reservation open = reservations.get(id);
        if (open == null || now() >= open.end) {
            return Answer.of(Settlement.UNKNOWN);
        }
        if (refunded.contains(open.decision)) {
            return Answer.of(Settlement.ALREADY_CLOSED);
        }
        for (String scope : scopes) {
            if (open.decision.charges.stream()
                    .noneMatch(charge -> charge.key().scope().equals(scope))) {
                throw new IllegalArgumentException("the reservation holds nothing for '" + scope + "'");
            }
        }
        refunded.add(open.decision);
        adjustAll(open.decision, actual);
        reservations.put(id, closed(open));
        return Answer.of(Settlement.DONE);
    }

    /** Microseconds since 1970, never going back. */
    private long now() {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
        latest = Math.max(latest, startMicros + (clock.nanos() - startNanos) / 1_000);
        return latest;
    }

    private long ticks(Meter meter) {
        return meter.followsCalendar() ? clock.epochMillis() : now();
    }

    private static long ticks(Meter meter, Locked decision) {
        return meter.followsCalendar() ? decision.millis : decision.time;
    }

    private static List<Charge> checked(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("there are no charges; a decision needs at least one");
        }
        return charges;
    }

    private static void refuseSlots(List<Charge> charges) {
        if (charges.stream().anyMatch(charge -> charge.policy() instanceof Concurrency)) {
            throw new IllegalArgumentException("slots are held by a lease: use acquire");
        }
    }

    private static void checkId(String id) {
        if (id.isEmpty() || id.length() > 256) {
            throw new IllegalArgumentException("id has " + id.length() + " characters; it must have 1 to 256");
        }
    }

    private static void checkTtl(Duration ttl) {
        if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(LONGEST_TTL) > 0) {
            throw new IllegalArgumentException("ttl is " + ttl + "; it must be positive and at most " + LONGEST_TTL);
        }
    }
}

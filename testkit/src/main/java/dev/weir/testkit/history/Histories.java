package dev.weir.testkit.history;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Store;
import dev.weir.testkit.history.HistorySubject.ObservedDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Generates random histories, with a preference for error-prone input. Few keys, so that operations share them; costs
 * at, just below and just above what is left; instants at, one tick before and one tick after a refill or a window's
 * end.
 *
 * <p>It runs the model along with the history, to compute these costs and instants.
 */
public final class Histories {
    private final long seed;
    private final HistoryOptions plan;
    private final SplittableRandom random;
    private final NastyPolicies policies;
    private final ModelSubject model;
    private final NastyInstants instants;
    private final List<Step> steps = new ArrayList<>();
    private final List<Limit> limits = new ArrayList<>();
    /** Limits with policies that have changed since. */
    private final List<Limit> former = new ArrayList<>();

    private final List<Integer> refundable = new ArrayList<>();
    /** The charges of reservations and leases, by id. */
    private final Map<String, List<Charge>> reservations = new HashMap<>();

    private final Map<String, List<Charge>> leases = new HashMap<>();
    private final Set<String> closed = new HashSet<>();
    private int numbers;

    /** A key and its current policy. */
    private record Limit(Key key, Policy policy, boolean isSlots) {}

    private Histories(long seed, HistoryOptions plan) {
        this.seed = seed;
        this.plan = plan;
        this.random = new SplittableRandom(seed);
        this.policies = new NastyPolicies(random, plan.timing()::holds);
        this.model = new ModelSubject(plan.timing());
        this.instants = new NastyInstants(random, plan.timing(), model);
    }

    /** Returns the history of this seed. Equal seeds and plans give equal histories. */
    public static History random(long seed, HistoryOptions plan) {
        return new Histories(seed, plan).generate();
    }

    private History generate() {
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            limits.add(newLimit(Key.of("k" + i)));
        }
        int length = 1 + random.nextInt(plan.steps());
        while (steps.size() < length) {
            if (random.nextInt(5) < 2) {
                live(new Step.Advance(instants.wait(any(limits).policy())));
            }
            next();
        }
        return new History(seed, steps);
    }

    private void next() {
        switch (random.nextInt(24)) {
            case 0, 1, 2 -> peek();
            case 3, 4 -> refund();
            case 5 -> reset();
            case 6, 7 -> reserve();
            case 8, 9, 10 -> closeOrProlong();
            case 11, 12 -> acquire();
            case 13, 14 -> renewOrRelease();
            case 15, 16 -> disturb();
            default -> consume();
        }
    }

    private void consume() {
        List<Charge> charges = charges(false);
        if (!charges.isEmpty()) {
            numbers++;
            if (admitted(live(new Step.Consume(numbers, charges)))) {
                refundable.add(numbers);
            }
        }
    }

    private void peek() {
        List<Charge> charges = charges(true);
        if (!charges.isEmpty()) {
            live(new Step.Peek(charges));
        }
    }

    private void refund() {
        if (plan.has(Feature.REFUNDS) && !refundable.isEmpty()) {
            // Removed, because a store need not recognize a second refund of the same decision.
            live(new Step.Refund(refundable.remove(random.nextInt(refundable.size()))));
        }
    }

    private void reset() {
        if (plan.has(Feature.RESETS)) {
            live(new Step.Reset(List.of(any(limits).key)));
        }
    }

    private void reserve() {
        if (!plan.has(Feature.RESERVATIONS)) {
            return;
        }
        boolean repeats = !reservations.isEmpty() && random.nextInt(4) == 0;
        String id = repeats ? any("r", reservations) : "r" + reservations.size();
        List<Charge> charges = repeats ? again(reservations.getOrDefault(id, List.of())) : charges(false);
        if (!charges.isEmpty() && !closed.contains(id)) {
            reservations.put(id, charges);
            live(new Step.Reserve(id, charges, ttl()));
        }
    }

    /** The same keys under their current policies, sometimes with other costs. */
    private List<Charge> again(List<Charge> charges) {
        boolean sameCosts = random.nextBoolean();
        List<Charge> again = new ArrayList<>();
        for (Charge charge : charges) {
            for (Limit limit : limits) {
                if (limit.key.equals(charge.key()) && !limit.isSlots) {
                    again.add(new Charge(charge.key(), limit.policy, sameCosts ? charge.cost() : cost(limit)));
                }
            }
        }
        return again.size() == charges.size() ? again : charges;
    }

    private void closeOrProlong() {
        if (!plan.has(Feature.RESERVATIONS) || reservations.isEmpty()) {
            return;
        }
        String id = random.nextInt(8) == 0 ? "nobody's" : any("r", reservations);
        if (random.nextInt(4) == 0) {
            live(new Step.Prolong(id, ttl()));
            return;
        }
        closed.add(id);
        if (plan.has(Feature.REFUNDS) && random.nextInt(5) == 0) {
            live(new Step.RefundReserved(id));
            return;
        }
        if (random.nextInt(3) == 0) {
            live(new Step.Cancel(id));
            return;
        }
        Map<String, Long> costs = new TreeMap<>();
        for (Charge charge : reservations.getOrDefault(id, List.of())) {
            if (random.nextInt(4) > 0) {
                costs.put(charge.key().scope(), actualCost(charge));
            }
        }
        live(new Step.Settle(id, costs));
    }

    private void acquire() {
        if (!plan.has(Feature.LEASES)) {
            return;
        }
        boolean repeats = !leases.isEmpty() && random.nextInt(4) == 0;
        String id = repeats ? any("l", leases) : "l" + leases.size();
        List<Charge> charges = repeats ? leases.getOrDefault(id, List.of()) : charges(true);
        if (!charges.isEmpty()) {
            leases.put(id, charges);
            live(new Step.Acquire(id, charges, ttl(), repeats));
        }
    }

    private void renewOrRelease() {
        if (plan.has(Feature.LEASES) && !leases.isEmpty()) {
            String id = random.nextInt(8) == 0 ? "nobody's" : any("l", leases);
            live(random.nextBoolean() ? new Step.Renew(id, ttl()) : new Step.Release(id));
        }
    }

    private void disturb() {
        if (plan.has(Feature.POLICY_CHANGES) && random.nextBoolean()) {
            changePolicy();
            return;
        }
        switch (random.nextInt(4)) {
            case 0 -> changePolicy();
            case 1 -> {
                if (plan.has(Feature.SWEEPS)) {
                    live(new Step.Sweep());
                }
            }
            case 2 -> {
                if (plan.has(Feature.STEPS_BACK)) {
                    live(new Step.StepBack(instants.wait(any(limits).policy())));
                }
            }
            default -> {
                if (plan.has(Feature.WALL_STEPS)) {
                    live(new Step.StepWall(instants.wallStep()));
                }
            }
        }
    }

    private void changePolicy() {
        int at = random.nextInt(limits.size());
        Limit old = limits.get(at);
        former.add(old);
        Limit back = any(former);
        Limit changed = back.key.equals(old.key) && random.nextBoolean() ? back : newLimit(old.key);
        // No policy change turns slots into a budget, or a budget into slots.
        if (plan.has(Feature.POLICY_CHANGES) && changed.isSlots == old.isSlots) {
            limits.set(at, changed);
        }
    }

    private Limit newLimit(Key key) {
        List<PolicyKind> kinds = new ArrayList<>(EnumSet.copyOf(plan.kinds()));
        PolicyKind kind = any(kinds);
        // Closed limits find few errors, so they are rare.
        if (kind == PolicyKind.CLOSED && random.nextInt(8) > 0) {
            kind = kinds.get(0);
        }
        return new Limit(key, policies.next(kind), kind == PolicyKind.CONCURRENCY);
    }

    private List<Charge> charges(boolean maySlots) {
        List<Charge> charges = new ArrayList<>();
        int count = plan.has(Feature.SEVERAL_CHARGES) && random.nextInt(3) == 0 ? 2 + random.nextInt(4) : 1;
        for (int i = 0; i < count; i++) {
            Limit limit = any(limits);
            boolean isNew = charges.stream().noneMatch(charge -> charge.key().equals(limit.key));
            if ((!limit.isSlots || maySlots) && (isNew || plan.has(Feature.REPEATED_KEYS))) {
                charges.add(new Charge(limit.key, limit.policy, cost(limit)));
            }
        }
        return charges;
    }

    private long cost(Limit limit) {
        long capacity = Math.max(1, limit.policy.capacity());
        long left = instants.remaining(limit.key, limit.policy);
        return switch (random.nextInt(16)) {
            case 0 -> capacity;
            case 1 -> random.nextInt(4) == 0 ? Long.MAX_VALUE >> random.nextInt(14) : capacity + 1;
            case 2 -> Math.max(1, capacity - 1);
            case 3, 4 -> Math.max(1, left);
            case 5, 6 -> Math.min(left + 1, capacity);
            case 7 -> Math.max(1, left / 2);
            case 8 -> 1 + random.nextLong(capacity);
            default -> 1 + random.nextLong(Math.min(3, capacity));
        };
    }

    private long actualCost(Charge charge) {
        long estimate = Math.min(charge.cost(), Policy.MAX_COUNT);
        long actual = switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> estimate;
            case 2 -> estimate - 1;
            case 3 -> estimate + 1;
            case 4 -> 2 * charge.policy().capacity() + random.nextLong(3);
            default -> random.nextLong(estimate + 1);
        };
        return Math.min(actual, Policy.MAX_COUNT);
    }

    private Duration ttl() {
        return random.nextBoolean()
                ? Store.LONGEST_TTL
                : NastyInstants.TTLS.get(random.nextInt(NastyInstants.TTLS.size()));
    }

    private Object live(Step step) {
        steps.add(step);
        Object seen = model.live(step);
        instants.remember(seen);
        return seen;
    }

    private static boolean admitted(Object seen) {
        return seen instanceof ObservedDecision decision && decision.admitted();
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Any id, most often the youngest, because older ones may have expired. */
    private String any(String letter, Map<String, ?> byId) {
        return letter + (random.nextInt(3) > 0 ? byId.size() - 1 : random.nextInt(byId.size()));
    }
}

package dev.weir.memory;

import dev.weir.Policy;
import dev.weir.algorithm.PolicyModel;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The policies that a store has seen, by value and by id. Safe for use by any number of threads. */
final class PolicyRegistry {
    private static final int MAX_ID = (1 << TableGeneration.POLICY_BITS) - 2;

    private final ConcurrentHashMap<Policy, BoundPolicy> byPolicy = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<@Nullable BoundPolicy> byId = new AtomicReferenceArray<>(MAX_ID + 1);
    private final StoreClock clock;
    /** Guarded by this. */
    private int lastId = BoundPolicy.NO_ID;

    PolicyRegistry(StoreClock clock) {
        this.clock = clock;
    }

    StoreClock clock() {
        return clock;
    }

    BoundPolicy of(Policy policy) {
        BoundPolicy known = byPolicy.get(policy);
        return known != null ? known : register(policy);
    }

    BoundPolicy byId(int id) {
        BoundPolicy boundPolicy = byId.get(id);
        if (boundPolicy == null) {
            throw new IllegalStateException("no policy has the number " + id);
        }
        return boundPolicy;
    }

    /**
     * Registers a policy. Ids are never reused. When they run out, further policies are kept in ledgers, which are
     * slower but just as exact.
     */
    private synchronized BoundPolicy register(Policy policy) {
        BoundPolicy known = byPolicy.get(policy);
        if (known != null) {
            return known;
        }
        PolicyModel model = PolicyModel.local(policy);
        int id = model.packed() != null && lastId < MAX_ID ? ++lastId : BoundPolicy.NO_ID;
        BoundPolicy boundPolicy = new BoundPolicy(id, model, clock, clock.precise());
        if (id != BoundPolicy.NO_ID) {
            byId.set(id, boundPolicy);
        }
        byPolicy.put(policy, boundPolicy);
        return boundPolicy;
    }
}

package dev.weir.memory;

import dev.weir.Policy;
import dev.weir.algorithm.Meter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The policies that a store has seen, by value and by id. Safe for use by any number of threads. */
final class Gauges {
    private static final int MAX_ID = (1 << Slots.POLICY_BITS) - 2;

    private final ConcurrentHashMap<Policy, Gauge> byPolicy = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<@Nullable Gauge> byId = new AtomicReferenceArray<>(MAX_ID + 1);
    private final StoreClock clock;
    /** Guarded by this. */
    private int lastId = Gauge.NO_ID;

    Gauges(StoreClock clock) {
        this.clock = clock;
    }

    StoreClock clock() {
        return clock;
    }

    Gauge of(Policy policy) {
        Gauge known = byPolicy.get(policy);
        return known != null ? known : meet(policy);
    }

    Gauge byId(int id) {
        Gauge gauge = byId.get(id);
        if (gauge == null) {
            throw new IllegalStateException("no policy has the number " + id);
        }
        return gauge;
    }

    /**
     * Registers a policy. Ids are never reused. When they run out, further policies are kept in ledgers, which are
     * slower but just as exact.
     */
    private synchronized Gauge meet(Policy policy) {
        Gauge known = byPolicy.get(policy);
        if (known != null) {
            return known;
        }
        Meter meter = Meter.local(policy);
        int id = meter.packed() != null && lastId < MAX_ID ? ++lastId : Gauge.NO_ID;
        Gauge gauge = new Gauge(id, meter, clock, clock.precise());
        if (id != Gauge.NO_ID) {
            byId.set(id, gauge);
        }
        byPolicy.put(policy, gauge);
        return gauge;
    }
}

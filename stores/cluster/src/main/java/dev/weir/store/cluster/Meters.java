package dev.weir.store.cluster;

import dev.weir.Policy;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.Resolution;
import java.util.concurrent.ConcurrentHashMap;

/** A cache of policy models on the cluster's clock, in microseconds. Safe for use by several threads. */
final class Meters {
    private static final int MOST = 10_000;

    private final ConcurrentHashMap<Policy, Meter> meters = new ConcurrentHashMap<>();

    /**
     * Returns the model of a policy.
     *
     * @throws IllegalArgumentException if microseconds cannot represent the policy exactly
     */
    Meter of(Policy policy) {
        Meter known = meters.get(policy);
        if (known != null) {
            return known;
        }
        if (meters.size() >= MOST) {
            meters.clear();
        }
        Meter made = Meter.at(Resolution.MICROS, policy);
        Meter first = meters.putIfAbsent(policy, made);
        return first == null ? made : first;
    }
}

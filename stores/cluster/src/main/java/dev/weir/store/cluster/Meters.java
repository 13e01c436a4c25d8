package dev.weir.store.cluster;

import dev.weir.Policy;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.Resolution;
import java.util.concurrent.ConcurrentHashMap;

/** Policies made ready for the cluster's clock, each once. A cache: what it forgets it makes again. */
final class Meters {
    private static final int MOST = 10_000;

    private final ConcurrentHashMap<Policy, Meter> meters = new ConcurrentHashMap<>();

    /**
     * The meter of a policy.
     *
     * @throws IllegalArgumentException if the policy cannot be kept exactly on microseconds
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

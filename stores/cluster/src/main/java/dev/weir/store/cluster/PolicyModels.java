package dev.weir.store.cluster;

import dev.weir.Policy;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.Resolution;
import java.util.concurrent.ConcurrentHashMap;

/** A cache of policy models on the cluster's clock, in microseconds. Safe for use by several threads. */
final class PolicyModels {
    private static final int MOST = 10_000;

    private final ConcurrentHashMap<Policy, PolicyModel> policyModels = new ConcurrentHashMap<>();

    /**
     * Returns the model of a policy.
     *
     * @throws IllegalArgumentException if microseconds cannot represent the policy exactly
     */
    PolicyModel of(Policy policy) {
        PolicyModel known = policyModels.get(policy);
        if (known != null) {
            return known;
        }
        if (policyModels.size() >= MOST) {
            policyModels.clear();
        }
        PolicyModel made = PolicyModel.at(Resolution.MICROS, policy);
        PolicyModel first = policyModels.putIfAbsent(policy, made);
        return first == null ? made : first;
    }
}

package dev.weir.store.jdbc.rows;

import dev.weir.Policy;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.Resolution;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A policy compiled for SQL: with a resolution of microseconds, and as the text of the column {@code policy}.
 *
 * @param counting its parameters, except those that depend on the calendar or on when the store first saw the policy
 */
public record SqlPolicy(Policy policy, String text, PolicyModel model, SqlPolicyParameters counting) {
    private static final int MOST_KNOWN = 20_000;
    /** Bounded: policies usually come from configurations and are few; a caller may still invent any number of them. */
    private static final Map<Policy, SqlPolicy> KNOWN = new ConcurrentHashMap<>();

    private static final Map<String, SqlPolicy> BY_TEXT = new ConcurrentHashMap<>();

    /**
     * Compiles a policy.
     *
     * @throws IllegalArgumentException if it is not exact at a resolution of microseconds
     */
    public static SqlPolicy of(Policy policy) {
        SqlPolicy known = KNOWN.get(policy);
        return known == null ? remember(made(policy)) : known;
    }

    /** Compiles the policy that {@link PolicyText} wrote into a row. */
    public static SqlPolicy of(String text) {
        SqlPolicy known = BY_TEXT.get(text);
        return known == null ? remember(made(PolicyText.parse(text))) : known;
    }

    /** A ledger with the state that {@link Ledger#state()} returned. */
    public Ledger resume(long... state) {
        return model.resume(state);
    }

    /** Whether a new bucket is not full, so that its level depends on when the store first saw the policy. */
    public boolean startsFilling() {
        return model.startsFilling();
    }

    private static SqlPolicy made(Policy policy) {
        PolicyModel model = PolicyModel.at(Resolution.MICROS, policy);
        return new SqlPolicy(policy, PolicyText.format(policy), model, SqlPolicyParameters.of(model, 0, 0));
    }

    private static SqlPolicy remember(SqlPolicy sqlPolicy) {
        if (KNOWN.size() >= MOST_KNOWN) {
            KNOWN.clear();
            BY_TEXT.clear();
        }
        KNOWN.put(sqlPolicy.policy, sqlPolicy);
        BY_TEXT.put(sqlPolicy.text, sqlPolicy);
        return sqlPolicy;
    }
}

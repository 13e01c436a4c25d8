package dev.weir.store.jdbc;

import dev.weir.Policy;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.Resolution;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A policy made ready for the database: on microseconds, and as the text that its rows carry.
 *
 * @param counting its numbers, but for what depends on when it was met or on the calendar
 */
record SqlPolicy(Policy policy, String text, PolicyModel model, SqlPolicyParameters counting) {
    private static final int MOST_KNOWN = 20_000;
    /** Policies come from configurations, so that they are few; a caller who makes them up finds them forgotten. */
    private static final Map<Policy, SqlPolicy> KNOWN = new ConcurrentHashMap<>();

    private static final Map<String, SqlPolicy> BY_TEXT = new ConcurrentHashMap<>();

    /**
     * The terms of a policy.
     *
     * @throws IllegalArgumentException if it cannot be kept exactly on microseconds
     */
    static SqlPolicy of(Policy policy) {
        SqlPolicy known = KNOWN.get(policy);
        return known == null ? remember(made(policy)) : known;
    }

    /** The terms that a row carries. */
    static SqlPolicy of(String text) {
        SqlPolicy known = BY_TEXT.get(text);
        return known == null ? remember(made(PolicyText.parse(text))) : known;
    }

    /** A ledger that {@link Ledger#state()} told. */
    Ledger resume(long... state) {
        return model.resume(state);
    }

    /** Whether a new bucket is not full, so that it matters when the store first met the policy. */
    boolean startsFilling() {
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

package dev.weir.store.jdbc;

import dev.weir.Policy;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.Resolution;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A policy made ready for the database: on microseconds, and as the text that its rows carry.
 *
 * @param counting its numbers, but for what depends on when it was met or on the calendar
 */
record Terms(Policy policy, String text, Meter meter, Counting counting) {
    private static final int MOST_KNOWN = 20_000;
    /** Policies come from configurations, so that they are few; a caller who makes them up finds them forgotten. */
    private static final Map<Policy, Terms> KNOWN = new ConcurrentHashMap<>();

    private static final Map<String, Terms> BY_TEXT = new ConcurrentHashMap<>();

    /**
     * The terms of a policy.
     *
     * @throws IllegalArgumentException if it cannot be kept exactly on microseconds
     */
    static Terms of(Policy policy) {
        Terms known = KNOWN.get(policy);
        return known == null ? remember(made(policy)) : known;
    }

    /** The terms that a row carries. */
    static Terms of(String text) {
        Terms known = BY_TEXT.get(text);
        return known == null ? remember(made(PolicyText.parse(text))) : known;
    }

    /** A ledger that {@link Ledger#state()} told. */
    Ledger resume(long... state) {
        return meter.resume(state);
    }

    /** Whether a new bucket is not full, so that it matters when the store first met the policy. */
    boolean startsFilling() {
        return meter.startsFilling();
    }

    private static Terms made(Policy policy) {
        Meter meter = Meter.at(Resolution.MICROS, policy);
        return new Terms(policy, PolicyText.format(policy), meter, Counting.of(meter, 0, 0));
    }

    private static Terms remember(Terms terms) {
        if (KNOWN.size() >= MOST_KNOWN) {
            KNOWN.clear();
            BY_TEXT.clear();
        }
        KNOWN.put(terms.policy, terms);
        BY_TEXT.put(terms.text, terms);
        return terms;
    }
}

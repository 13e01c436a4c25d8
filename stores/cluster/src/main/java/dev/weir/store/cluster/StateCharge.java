package dev.weir.store.cluster;

import dev.weir.algorithm.PolicyModel;
import dev.weir.ledger.BoundCharge;

/**
 * A charge in the replicated state.
 *
 * @param key the {@linkplain dev.weir.Key#text() text} of the key
 */
record StateCharge(String key, PolicyModel model, long cost) implements BoundCharge {

    /** Whether the key has this scope, escaped as in a key's text. */
    @Override
    public boolean isOfScope(String scope) {
        return key.startsWith(scope) && (key.length() == scope.length() || key.charAt(scope.length()) == ':');
    }
}

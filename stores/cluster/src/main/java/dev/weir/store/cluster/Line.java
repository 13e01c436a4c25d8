package dev.weir.store.cluster;

import dev.weir.algorithm.Meter;
import dev.weir.ledger.BoundCharge;

/**
 * A charge as the book has it.
 *
 * @param key the {@linkplain dev.weir.Key#text() text} of the key
 */
record Line(String key, Meter meter, long cost) implements BoundCharge {

    /** Whether its key's scope, escaped as in a key's text, is this one. */
    @Override
    public boolean isOfScope(String scope) {
        return key.startsWith(scope) && (key.length() == scope.length() || key.charAt(scope.length()) == ':');
    }
}

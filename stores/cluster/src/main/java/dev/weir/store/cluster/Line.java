package dev.weir.store.cluster;

import dev.weir.Concurrency;
import dev.weir.algorithm.Meter;

/**
 * A charge as the book has it.
 *
 * @param key the {@linkplain dev.weir.Key#text() text} of the key
 */
record Line(String key, Meter meter, long cost) {

    boolean isForSlots() {
        return meter.policy() instanceof Concurrency;
    }

    /** Whether its key's scope, escaped as in a key's text, is this one. */
    boolean isOfScope(String scope) {
        return key.startsWith(scope) && (key.length() == scope.length() || key.charAt(scope.length()) == ':');
    }
}

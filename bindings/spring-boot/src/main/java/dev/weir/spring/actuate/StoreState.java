package dev.weir.spring.actuate;

import dev.weir.StoreException;
import dev.weir.engine.Weir;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How the store is, as endpoint and health tell it.
 *
 * @param kind the beginning of its URI: the rest may hold a password
 * @param answers whether it just did
 * @param isGivenUp whether the circuit breaker is open: calls fail at once
 */
record StoreState(String kind, boolean answers, boolean isGivenUp) {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Asks the store; one that was given up is tried, so that asking helps it back. */
    static StoreState of(Weir weir) {
        boolean answers;
        try {
            answers = weir.isStoreReachableAsync().await(PATIENCE);
        } catch (StoreException e) {
            answers = false;
        }
        String uri = weir.configuration().store();
        int end = uri.indexOf(':');
        return new StoreState(
                end < 0 ? uri : uri.substring(0, end), answers, weir.store().isGivenUp());
    }

    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("kind", kind);
        details.put("answers", answers);
        details.put("breaker", isGivenUp ? "open" : "closed");
        return details;
    }
}

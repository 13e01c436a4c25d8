package dev.weir.spring.actuate;

import dev.weir.StoreException;
import dev.weir.engine.Weir;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The state of the store, for the endpoint and for health.
 *
 * @param kind the scheme of its URI; the rest may hold a password
 * @param answers whether it answered just now
 * @param isCircuitOpen whether the circuit breaker is open: calls fail at once
 */
record StoreState(String kind, boolean answers, boolean isCircuitOpen) {
    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(10);

    /** Calls the store, also if the circuit breaker is open: a success helps to close it. */
    static StoreState of(Weir weir) {
        boolean answers;
        try {
            answers = weir.isStoreReachableAsync().await(STORE_TIMEOUT);
        } catch (StoreException e) {
            answers = false;
        }
        String uri = weir.configuration().store();
        int end = uri.indexOf(':');
        return new StoreState(
                end < 0 ? uri : uri.substring(0, end), answers, weir.store().isCircuitOpen());
    }

    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("kind", kind);
        details.put("answers", answers);
        details.put("breaker", isCircuitOpen ? "open" : "closed");
        return details;
    }
}

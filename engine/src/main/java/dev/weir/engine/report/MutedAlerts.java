package dev.weir.engine.report;

import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The alerts that an operator has muted, each until a time. Holds at most {@value #MOST}; a further one replaces the one
 * that was muted first. Thread-safe.
 */
final class MutedAlerts {
    private static final int MOST = 1000;

    private final InstantSource clock;
    /** Guarded by this. */
    private final Map<Alert, Instant> until = new LinkedHashMap<>();

    /** An alert about one subject. */
    record Alert(String name, Map<String, String> subject) {}

    MutedAlerts(InstantSource clock) {
        this.clock = clock;
    }

    synchronized void mute(String name, Map<String, String> subject, @Nullable Instant end) {
        Alert alert = new Alert(name, Map.copyOf(subject));
        until.remove(alert);
        if (end != null) {
            if (until.size() == MOST) {
                until.remove(until.keySet().iterator().next());
            }
            until.put(alert, end);
        }
    }

    synchronized boolean contain(String name, Map<String, String> subject) {
        Alert alert = new Alert(name, subject);
        Instant end = until.get(alert);
        if (end != null && !clock.instant().isBefore(end)) {
            until.remove(alert);
            return false;
        }
        return end != null;
    }
}

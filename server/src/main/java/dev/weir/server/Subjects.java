package dev.weir.server;

import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventListener;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who has been refused lately, as this node saw it: what the store, which knows only whom it is asked about, cannot list.
 *
 * <p>Holds the latest 10,000 subjects, whatever attackers send. Safe for use by any number of threads.
 */
final class Subjects implements EventListener {
    private static final int MOST = 10_000;
    /** Attributes that say who somebody is, and not what is asked. */
    private static final Set<String> IDENTITIES =
            Set.of("ip", "user", "tenant", "agent", "customer", "device", "connection");

    /** Guarded by itself; the least recently refused is first. */
    private final Map<Subject, Seen> records = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Subject, Seen> eldest) {
            return size() > MOST;
        }
    };

    /** Somebody. */
    record Subject(String attribute, String value) {}

    /**
     * What is known of somebody.
     *
     * @param violations how many since it was last forgotten
     * @param lastAt when the last one was
     */
    record Seen(long violations, Instant lastAt) {
        static final Seen NONE = new Seen(0, Instant.EPOCH);
    }

    @Override
    public void on(Event event) {
        if (!(event instanceof Event.Denied denied) || denied.shadow()) {
            return;
        }
        denied.attributes().forEach((attribute, value) -> {
            if (IDENTITIES.contains(attribute)) {
                count(new Subject(attribute, value), denied.at());
            }
        });
    }

    /** Requests that passed are most, and say nothing here. */
    @Override
    public boolean wantsAllowed() {
        return false;
    }

    Seen of(String attribute, String value) {
        synchronized (records) {
            return records.getOrDefault(new Subject(attribute, value), Seen.NONE);
        }
    }

    /** Those with this attribute that were refused since then, latest first. */
    List<String> refusedSince(String attribute, Instant since) {
        List<String> found = new ArrayList<>();
        synchronized (records) {
            records.forEach((subject, record) -> {
                if (subject.attribute.equals(attribute) && !record.lastAt.isBefore(since)) {
                    found.add(0, subject.value);
                }
            });
        }
        return found;
    }

    private void count(Subject subject, Instant when) {
        synchronized (records) {
            records.merge(subject, new Seen(1, when), (before, one) -> new Seen(before.violations + 1, when));
        }
    }
}

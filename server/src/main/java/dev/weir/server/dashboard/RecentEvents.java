package dev.weir.server.dashboard;

import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventListener;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The latest notable events for operators: alerts, outages and changes, and per limit the latest refusals. Holds a few
 * hundred entries at most. Thread-safe.
 */
final class RecentEvents implements EventListener {
    private static final int MOST_ENTRIES = 200;
    private static final int MOST_REFUSALS = 6;
    private static final int MOST_LIMITS = 1000;
    /** Outages that began within this time count as one disturbance. */
    private static final Duration DISTURBED = Duration.ofMinutes(10);

    private static final int MOST_OUTAGES = 100;

    private final SeenSubjects seenSubjects;
    /** Entries, oldest first; guarded by this, like all fields below. */
    private final Deque<Entry> entries = new ArrayDeque<>();

    private final Map<String, Deque<RecentRefusal>> refusals = new LinkedHashMap<>();
    private long lastNumber;
    /** The outages that began lately, oldest first. */
    private final Deque<Event.StoreUnavailable> outages = new ArrayDeque<>();
    /** The outage that lasts; null while the store answers. */
    private Event.@Nullable StoreUnavailable outage;
    /** The faults of the configuration that was rejected last; null once a valid one is in force. */
    private Event.@Nullable ConfigurationRejected rejected;

    RecentEvents(SeenSubjects seenSubjects) {
        this.seenSubjects = seenSubjects;
    }

    /** @param json the entry as the dashboard gets it */
    private record Entry(long number, String json) {}

    private record RecentRefusal(Event.Denied denied, SeenSubjects.@Nullable SeenKey whose) {}

    @Override
    public boolean wantsAllowed() {
        return false;
    }

    @Override
    public void on(Event event) {
        if (event instanceof Event.Denied denied) {
            refuse(denied);
        } else if (!(event instanceof Event.OfRequest) && !(event instanceof Event.AlertEnded)) {
            note(event);
        }
    }

    private void refuse(Event.Denied denied) {
        RecentRefusal refusal = new RecentRefusal(denied, seenSubjects.whose(denied.limit(), denied.attributes()));
        synchronized (this) {
            if (refusals.size() >= MOST_LIMITS && !refusals.containsKey(denied.limit())) {
                return;
            }
            Deque<RecentRefusal> latest = refusals.computeIfAbsent(denied.limit(), name -> new ArrayDeque<>());
            latest.addFirst(refusal);
            if (latest.size() > MOST_REFUSALS) {
                latest.removeLast();
            }
        }
    }

    private synchronized void note(Event event) {
        follow(event);
        add(event.at().toEpochMilli(), json -> write(json, event));
    }

    private void add(long atMillis, Consumer<Json> content) {
        Json json = Json.newObject(128).field("number", ++lastNumber).field("at", atMillis);
        content.accept(json);
        entries.addLast(new Entry(lastNumber, json.close('}').toString()));
        if (entries.size() > MOST_ENTRIES) {
            entries.removeFirst();
        }
    }

    synchronized void save(SavedHistory saved) {
        saved.lastNumber = lastNumber;
        entries.forEach(entry -> saved.addEvent(entry.json));
    }

    /** Continues with the entries that were saved, and adds one about the start. */
    synchronized void restore(SavedHistory saved, long nowMillis) {
        lastNumber = saved.lastNumber;
        long number = lastNumber - saved.events.size();
        for (String json : saved.events) {
            entries.addLast(new Entry(++number, json));
        }
        add(nowMillis, json -> json.field("kind", "server_started"));
    }

    /** Keeps the state that lasts: whether the store answers, and whether the configuration was rejected. */
    private void follow(Event event) {
        if (event instanceof Event.StoreUnavailable unavailable) {
            outage = unavailable;
            outages.addLast(unavailable);
            if (outages.size() > MOST_OUTAGES) {
                outages.removeFirst();
            }
        } else if (event instanceof Event.StoreRecovered) {
            outage = null;
        } else if (event instanceof Event.ConfigurationRejected faulty) {
            rejected = faulty;
        } else if (event instanceof Event.ConfigurationReloaded) {
            rejected = null;
        }
    }

    /**
     * Writes since when the store does not answer, why, and how many outages began in the last ten minutes, as members
     * of the open object.
     */
    synchronized void writeOutages(Json json, long nowMillis) {
        long eldest = nowMillis - DISTURBED.toMillis();
        outages.removeIf(earlier -> earlier.at().toEpochMilli() < eldest);
        json.name("unavailable_since");
        if (outage == null) {
            json.nothing();
        } else {
            json.value(outage.at().toEpochMilli());
        }
        json.field("cause", outage == null ? null : outage.cause()).field("outages", outages.size());
        json.name("first_outage_at");
        if (outages.isEmpty()) {
            json.nothing();
        } else {
            json.value(outages.getFirst().at().toEpochMilli());
        }
    }

    /** Writes the faults of a rejected configuration until a valid one is in force, as a member of the open object. */
    synchronized void writeRejected(Json json) {
        json.name("configuration_rejected");
        if (rejected == null) {
            json.nothing();
            return;
        }
        json.open('{')
                .field("at", rejected.at().toEpochMilli())
                .field("source", rejected.source())
                .field("faults", rejected.faults())
                .close('}');
    }

    /** Returns the number of the latest entry; 0 if there is none. */
    synchronized long lastNumber() {
        return lastNumber;
    }

    /** Writes the entries after the one with this number, oldest first. */
    synchronized void writeAfter(long number, Json json) {
        for (Entry entry : entries) {
            if (entry.number > number) {
                json.raw(entry.json);
            }
        }
    }

    /** Writes the latest refusals of a limit, newest first, as a member of the open object. */
    synchronized void writeRefusals(String limit, Json json) {
        json.name("refused").open('[');
        for (RecentRefusal refusal : refusals.getOrDefault(limit, new ArrayDeque<>())) {
            Event.Denied denied = refusal.denied;
            json.open('{')
                    .field("at", denied.at().toEpochMilli())
                    .field("attribute", refusal.whose == null ? null : refusal.whose.attribute())
                    .field("value", refusal.whose == null ? null : refusal.whose.value())
                    .field("reason", denied.reason())
                    .field("shadow", denied.shadow());
            Duration wait = denied.retryAfter();
            if (wait == null) {
                json.name("wait_ms").nothing();
            } else {
                json.field("wait_ms", HttpDecision.millis(wait));
            }
            json.close('}');
        }
        json.close(']');
    }

    private static void write(Json json, Event event) {
        if (event instanceof Event.Alert alert) {
            json.field("kind", "alert")
                    .field("name", alert.name())
                    .field("watches", alert.kind().text())
                    .field("subject", alert.subject())
                    .field("observed", alert.observed())
                    .field("threshold", alert.threshold())
                    .field("within_secs", HttpDecision.wholeSeconds(alert.within()));
        } else if (event instanceof Event.StoreUnavailable unavailable) {
            json.field("kind", "store_unavailable").field("cause", unavailable.cause());
        } else if (event instanceof Event.StoreRecovered recovered) {
            json.field("kind", "store_recovered")
                    .field("unavailable_ms", recovered.unavailable().toMillis());
        } else if (event instanceof Event.SettingsChanged changed) {
            json.field("kind", "settings_changed")
                    .field("version", changed.version())
                    .field("who", changed.who());
        } else if (event instanceof Event.ConfigurationReloaded reloaded) {
            json.field("kind", "configuration_reloaded")
                    .field("source", reloaded.source())
                    .field("changes", reloaded.changes());
        } else if (event instanceof Event.ConfigurationRejected rejected) {
            json.field("kind", "configuration_rejected")
                    .field("source", rejected.source())
                    .field("faults", rejected.faults());
        }
    }
}

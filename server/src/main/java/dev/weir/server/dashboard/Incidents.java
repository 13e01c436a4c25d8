package dev.weir.server.dashboard;

import dev.weir.engine.event.AlertEpisode;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventListener;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The alerts of this node as incidents: all episodes of one rule and subject, until none has begun for an hour. An
 * operator acknowledges an incident, which lasts until its next episode, or mutes it.
 *
 * <p>Holds at most {@value #MOST} incidents, and drops those that are over first. They are lost at a restart. Thread-safe.
 */
public final class Incidents implements EventListener {
    static final int MOST = 200;
    /** An episode that begins this long after the last one ended is a new incident. */
    private static final Duration SAME = Duration.ofHours(1);

    /** By id, oldest first; guarded by this, like all fields below. */
    private final Map<Long, Incident> incidents = new LinkedHashMap<>();

    private final Map<Alerted, Incident> latest = new HashMap<>();
    private long lastId;
    /** Grows with each change; each incident has that of its last one. */
    private long version;

    /** A rule, and the subject that it was raised for. */
    public record Alerted(String name, Map<String, String> subject) {}

    private static final class Incident {
        private final long id;
        private final Event.Alert alert;
        private Instant last;
        private @Nullable Instant endedAt;
        /** Refused requests of the episodes that are over, and of the one that lasts. */
        private long countBefore;

        private long countNow;
        private int episodes;
        private @Nullable String acknowledgedBy;
        private @Nullable Instant acknowledgedAt;
        private @Nullable String mutedBy;
        private @Nullable Instant mutedUntil;
        private long changed;

        Incident(long id, Event.Alert alert) {
            this.id = id;
            this.alert = alert;
            this.last = alert.at();
        }

        Alerted alerted() {
            return new Alerted(alert.name(), alert.subject());
        }
    }

    @Override
    public boolean wantsAllowed() {
        return false;
    }

    @Override
    public synchronized void on(Event event) {
        if (event instanceof Event.Alert alert) {
            begin(alert);
        } else if (event instanceof Event.AlertEnded ended) {
            Incident incident = latest.get(new Alerted(ended.name(), ended.subject()));
            if (incident != null && incident.endedAt == null) {
                incident.endedAt = ended.at();
                incident.last = ended.last();
                incident.countBefore += ended.count();
                incident.countNow = 0;
                incident.changed = ++version;
            }
        }
    }

    private void begin(Event.Alert alert) {
        Alerted alerted = new Alerted(alert.name(), alert.subject());
        Incident incident = latest.get(alerted);
        Instant ended = incident == null ? null : incident.endedAt;
        if (incident == null || (ended != null && ended.plus(SAME).isBefore(alert.at()))) {
            incident = new Incident(++lastId, alert);
            incidents.put(incident.id, incident);
            latest.put(alerted, incident);
            dropSurplus();
        }
        incident.endedAt = null;
        incident.last = alert.at();
        incident.countNow = alert.kind() == Event.Alert.Kind.VIOLATIONS ? alert.observed() : 0;
        incident.episodes++;
        incident.acknowledgedBy = null;
        incident.acknowledgedAt = null;
        incident.changed = ++version;
    }

    private void dropSurplus() {
        if (incidents.size() <= MOST) {
            return;
        }
        Iterator<Incident> eldest = incidents.values().iterator();
        Incident dropped = eldest.next();
        for (Incident incident = dropped; eldest.hasNext(); incident = eldest.next()) {
            if (incident.endedAt != null) {
                dropped = incident;
                break;
            }
        }
        incidents.remove(dropped.id);
        latest.remove(dropped.alerted(), dropped);
    }

    /** Updates the incidents that last. */
    synchronized void refresh(List<AlertEpisode> episodes) {
        for (AlertEpisode episode : episodes) {
            Incident incident = latest.get(new Alerted(episode.name(), episode.subject()));
            if (incident != null && incident.endedAt == null && incident.countNow != episode.count()) {
                incident.countNow = episode.count();
                incident.last = episode.last();
                incident.changed = ++version;
            }
        }
    }

    /** Takes note that an operator has seen an incident; returns false if there is none with this id. */
    public synchronized boolean acknowledge(long id, String who, Instant at) {
        Incident incident = incidents.get(id);
        if (incident == null) {
            return false;
        }
        incident.acknowledgedBy = who;
        incident.acknowledgedAt = at;
        incident.changed = ++version;
        return true;
    }

    /**
     * Takes note that an operator has muted an incident until then, or lets it be heard again.
     *
     * @param until null lets it be heard again
     * @return what was muted; null if there is no incident with this id
     */
    public synchronized @Nullable Alerted mute(long id, String who, @Nullable Instant until) {
        Incident incident = incidents.get(id);
        if (incident == null) {
            return null;
        }
        incident.mutedBy = until == null ? null : who;
        incident.mutedUntil = until;
        incident.changed = ++version;
        return incident.alerted();
    }

    synchronized long version() {
        return version;
    }

    /** Writes the incidents that have changed since this version into the open array, oldest first. */
    public synchronized void writeAfter(long told, Json json) {
        incidents.values().stream()
                .filter(incident -> incident.changed > told)
                .forEach(incident -> write(json, incident));
    }

    private static void write(Json json, Incident incident) {
        Event.Alert alert = incident.alert;
        json.open('{')
                .field("id", incident.id)
                .field("name", alert.name())
                .field("watches", alert.kind().text())
                .field("subject", alert.subject())
                .field("observed", alert.observed())
                .field("threshold", alert.threshold())
                .field("within_secs", HttpDecision.wholeSeconds(alert.within()))
                .field("first_at", alert.at().toEpochMilli())
                .field("last_at", incident.last.toEpochMilli())
                .field("count", incident.countBefore + incident.countNow)
                .field("episodes", incident.episodes)
                .field("ongoing", incident.endedAt == null);
        time(json, "ended_at", incident.endedAt);
        json.field("acknowledged_by", incident.acknowledgedBy);
        time(json, "acknowledged_at", incident.acknowledgedAt);
        json.field("muted_by", incident.mutedBy);
        time(json, "muted_until", incident.mutedUntil);
        json.close('}');
    }

    private static void time(Json json, String name, @Nullable Instant at) {
        json.name(name);
        if (at == null) {
            json.nothing();
        } else {
            json.value(at.toEpochMilli());
        }
    }
}

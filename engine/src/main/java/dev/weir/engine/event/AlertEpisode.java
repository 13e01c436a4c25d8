package dev.weir.engine.event;

import java.time.Instant;
import java.util.Map;

/**
 * An alert whose condition holds.
 *
 * @param name the alert's name
 * @param kind what is watched
 * @param subject the subject that caused it, by attribute; empty for an alert about all requests
 * @param since when the alert was raised
 * @param last when the last request was refused in the episode
 * @param count how many requests were refused in it so far
 */
public record AlertEpisode(
        String name, Event.Alert.Kind kind, Map<String, String> subject, Instant since, Instant last, long count) {
    public AlertEpisode {
        subject = Map.copyOf(subject);
    }

    Event.AlertEnded ended(Instant at) {
        return new Event.AlertEnded(at, name, kind, subject, since, last, count);
    }
}

package dev.weir.engine.event;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The times of each subject's latest violations, as many as the rule counts, so that the count is exact.
 *
 * <p>Clients choose subjects, so memory is bounded: 10,000 subjects and a million times. Beyond that the subject whose
 * latest violation is the oldest is evicted. Values of more than 200 characters are cut and distinguished by a digest.
 */
final class ViolationWatch implements AlertMonitor.Watch {
    private static final int MAX_TIMES = 1_000_000;
    private static final int MAX_VALUE = 200;

    private final AlertRule.Violations rule;
    private final AlertMonitor.AlertOutlet outlet;
    private final int maxSubjects;
    private final long withinMillis;
    /** By the latest violation, the oldest first. */
    private final Map<Map<String, String>, Track> tracks = new LinkedHashMap<>(16, 0.75f, true);

    /** The subjects whose episode lasts; each has a track. */
    private final Map<Map<String, String>, Track> alarmed = new LinkedHashMap<>();

    private long places;

    ViolationWatch(AlertRule.Violations rule, AlertMonitor.AlertOutlet outlet, int maxSubjects) {
        this.rule = rule;
        this.outlet = outlet;
        this.maxSubjects = maxSubjects;
        this.withinMillis = rule.within().toMillis();
    }

    @Override
    public void see(Event.OfRequest event) {
        if (!(event instanceof Event.Denied denied)
                || denied.shadow()
                || denied.reason().equals("unavailable")) {
            return;
        }
        Map<String, String> subject = subjectOf(denied.attributes());
        if (subject == null) {
            return;
        }
        Track track = tracks.computeIfAbsent(subject, added -> new Track());
        places -= track.times.length;
        endIfBelow(subject, track, denied.at());
        int count = track.add(denied.at().toEpochMilli(), rule.count());
        places += track.times.length;
        track.episodeCount++;
        track.last = denied.at();
        forgetTheOldest(denied.at());
        if (count >= rule.count() && !alarmed.containsKey(subject)) {
            raise(subject, track, count, denied.at());
        }
    }

    private void raise(Map<String, String> subject, Track track, int count, Instant at) {
        Event.Alert alert = new Event.Alert(
                at, rule.name(), Event.Alert.Kind.VIOLATIONS, subject, count, rule.count(), rule.within());
        if (outlet.raise(alert)) {
            track.since = at;
            track.episodeCount = count;
            alarmed.put(subject, track);
        }
    }

    @Override
    public void look(Instant now) {
        // A copy: an episode that ends leaves the map.
        Map.copyOf(alarmed).forEach((subject, track) -> endIfBelow(subject, track, now));
    }

    @Override
    public void endAll(Instant now) {
        Map.copyOf(alarmed).forEach((subject, track) -> end(subject, track, now));
    }

    @Override
    public List<AlertEpisode> episodes() {
        return alarmed.entrySet().stream()
                .map(entry -> episode(entry.getKey(), entry.getValue()))
                .toList();
    }

    /** Ends the subject's episode if too few of its violations are left within the duration. */
    private void endIfBelow(Map<String, String> subject, Track track, Instant now) {
        int left = track.expire(now.toEpochMilli() - withinMillis);
        if (left * 2 < rule.count() && alarmed.containsKey(subject)) {
            end(subject, track, now);
        }
    }

    private void end(Map<String, String> subject, Track track, Instant now) {
        alarmed.remove(subject);
        outlet.end(episode(subject, track), now);
    }

    private AlertEpisode episode(Map<String, String> subject, Track track) {
        return new AlertEpisode(
                rule.name(), Event.Alert.Kind.VIOLATIONS, subject, track.since, track.last, track.episodeCount);
    }

    int subjects() {
        return tracks.size();
    }

    /** The subject's attributes; null if the request lacks one. */
    private @Nullable Map<String, String> subjectOf(Map<String, String> attributes) {
        Map<String, String> subject = new HashMap<>();
        for (String names : rule.per()) {
            boolean found = false;
            for (String name : names.split("\\|", -1)) {
                String value = found ? null : attributes.get(name);
                if (value != null) {
                    // With its name, which distinguishes user=x from ip=x.
                    subject.put(name, cut(value));
                    found = true;
                }
            }
            if (!found) {
                return null;
            }
        }
        return Map.copyOf(subject);
    }

    private void forgetTheOldest(Instant now) {
        Iterator<Map.Entry<Map<String, String>, Track>> oldest =
                tracks.entrySet().iterator();
        while (tracks.size() > 1 && (tracks.size() > maxSubjects || places > MAX_TIMES) && oldest.hasNext()) {
            Map.Entry<Map<String, String>, Track> forgotten = oldest.next();
            places -= forgotten.getValue().times.length;
            oldest.remove();
            if (alarmed.containsKey(forgotten.getKey())) {
                end(forgotten.getKey(), forgotten.getValue(), now);
            }
        }
    }

    private static String cut(String value) {
        if (value.length() <= MAX_VALUE) {
            return value;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_16BE));
            return value.substring(0, MAX_VALUE) + "…" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    /** The latest times of one subject, oldest first, in a ring buffer that grows up to the rule's count. */
    private static final class Track {
        private long[] times = new long[2];
        private int first;
        private int size;
        /** Of the episode, if one lasts: when it began, and how many violations it has. */
        private Instant since = Instant.EPOCH;

        private long episodeCount;
        private Instant last = Instant.EPOCH;

        /** Removes times that are not later than {@code millis}; returns how many are left. */
        int expire(long millis) {
            while (size > 0 && times[first] <= millis) {
                first = (first + 1) % times.length;
                size--;
            }
            return size;
        }

        /** Adds a time, never earlier than the last; returns how many there are, at most {@code max}. */
        int add(long millis, int max) {
            long last = size == 0 ? millis : times[(first + size - 1) % times.length];
            if (size == max) {
                first = (first + 1) % times.length;
                size--;
            } else if (size == times.length) {
                long[] larger = Arrays.copyOf(rotated(), (int) Math.min(max, size * 2L));
                times = larger;
                first = 0;
            }
            times[(first + size) % times.length] = Math.max(millis, last);
            size++;
            return size;
        }

        private long[] rotated() {
            long[] straight = new long[size];
            for (int i = 0; i < size; i++) {
                straight[i] = times[(first + i) % times.length];
            }
            return straight;
        }
    }
}

package dev.weir.engine.event;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
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
        int before = track.expire(denied.at().toEpochMilli() - withinMillis);
        if (before * 2 < rule.count()) {
            track.alarmed = false;
        }
        int count = track.add(denied.at().toEpochMilli(), rule.count());
        places += track.times.length;
        forgetTheOldest();
        if (count >= rule.count() && !track.alarmed) {
            track.alarmed = outlet.raise(new Event.Alert(
                    denied.at(),
                    rule.name(),
                    Event.Alert.Kind.VIOLATIONS,
                    subject,
                    count,
                    rule.count(),
                    rule.within()));
        }
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

    private void forgetTheOldest() {
        Iterator<Track> oldest = tracks.values().iterator();
        while (tracks.size() > 1 && (tracks.size() > maxSubjects || places > MAX_TIMES) && oldest.hasNext()) {
            places -= oldest.next().times.length;
            oldest.remove();
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
        private boolean alarmed;

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

package dev.weir.engine.report;

import dev.weir.Key;
import dev.weir.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How much the keys of one rate use in a period, by the requests of the last 12 to 24 hours. Thread-safe.
 *
 * <p>It has {@value #MOST_KEYS} keys at most. When there are more, it keeps those whose hash ends with another zero bit,
 * about half of them, and counts each of those twice as much as before. So all requests of a key that is kept are known,
 * and a key is kept or left out independently of what it uses.
 */
final class SampledRate {
    static final int MOST_KEYS = 1000;
    static final long GENERATION_NANOS = Duration.ofHours(12).toNanos();
    /** Counts below 256 are exact, greater ones within 3 %: 32 kB for each generation. */
    private static final int EXACT_BITS = 8;

    private static final int SUB_BITS = 5;
    /** Bits of the hash that other tables do not use. */
    private static final int HASH_SHIFT = 20;

    final String row;
    final int place;
    final Duration period;
    private final long periodNanos;
    /** The policy of the last request, to find this rate by identity; any of its policies will do. */
    volatile Policy policy;

    /** Guarded by this, like the next field. */
    private Generation current;

    private @Nullable Generation previous;

    SampledRate(String row, int place, Duration period, Policy policy, long now) {
        this.row = row;
        this.place = place;
        this.period = period;
        this.periodNanos = Math.max(1, period.toNanos());
        this.policy = policy;
        this.current = new Generation(now);
    }

    /** The requests of 12 hours. */
    private static final class Generation {
        final long began;
        final WindowHistogram ended = new WindowHistogram(EXACT_BITS, SUB_BITS);
        final Map<Key, WindowUse> keys = new HashMap<>();
        /** A key is kept if none of these bits of its hash is set. */
        long mask;

        Generation(long began) {
            this.began = began;
        }

        double weight() {
            return (double) (mask + 1);
        }

        boolean keeps(Key key) {
            return isKept(key, mask);
        }

        void thinOut() {
            mask = mask * 2 + 1;
            keys.keySet().removeIf(key -> !keeps(key));
        }
    }

    private static boolean isKept(Key key, long mask) {
        return (key.hash() >>> HASH_SHIFT & mask) == 0;
    }

    /** Whether it knows no request any more. */
    synchronized boolean isStale(long now) {
        forgetOld(now);
        return current.keys.isEmpty() && (previous == null || previous.keys.isEmpty());
    }

    private void forgetOld(long now) {
        long age = now - current.began;
        if (age >= GENERATION_NANOS) {
            previous = age < 2 * GENERATION_NANOS ? current : null;
            current = new Generation(now);
        }
    }

    synchronized void add(Key key, long cost, long now) {
        forgetOld(now);
        Generation own = current;
        if (!own.keeps(key)) {
            return;
        }
        WindowUse use = own.keys.get(key);
        if (use == null) {
            while (own.keys.size() >= MOST_KEYS) {
                own.thinOut();
            }
            if (!own.keeps(key)) {
                return;
            }
            use = new WindowUse(now);
            own.keys.put(key, use);
        }
        use.add(now, cost, periodNanos, own.ended, own.weight());
    }

    /** Returns what is known now; periods that have not ended count with what they have used so far. */
    synchronized UseReport report(long now) {
        forgetOld(now);
        List<Generation> generations = new ArrayList<>();
        if (previous != null) {
            generations.add(previous);
        }
        generations.add(current);
        long mask = generations.stream().mapToLong(one -> one.mask).max().orElse(0);
        WindowHistogram windows = new WindowHistogram(EXACT_BITS, SUB_BITS);
        Map<Key, Long> peaks = new HashMap<>();
        for (Generation generation : generations) {
            windows.addAll(generation.ended);
            generation.keys.forEach((key, use) -> {
                windows.add(use.used(), generation.weight());
                if (isKept(key, mask)) {
                    peaks.merge(key, use.peak(), Math::max);
                }
            });
        }
        Map<Long, Long> keysByPeak = new HashMap<>();
        peaks.values().forEach(peak -> keysByPeak.merge(windows.greatestLike(peak), mask + 1, Long::sum));
        List<UseReport.Bucket> buckets = new ArrayList<>();
        Set<Long> listed = new HashSet<>();
        windows.forEach((greatest, count, used) -> {
            listed.add(greatest);
            buckets.add(new UseReport.Bucket(
                    greatest, Math.round(count), Math.round(used), keysByPeak.getOrDefault(greatest, 0L)));
        });
        assert listed.containsAll(keysByPeak.keySet()) : "the window of each peak is in the histogram";
        return new UseReport(
                row,
                place,
                period,
                Duration.ofNanos(now - generations.get(0).began),
                mask + 1,
                peaks.size(),
                List.copyOf(buckets));
    }
}

package dev.weir.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The number of decisions since the start: in total, and for each limit. The counts survive a change of the
 * configuration. Safe for use by any number of threads.
 */
public final class Counts {
    private final Map<String, LimitCounts> limits = new ConcurrentHashMap<>();
    private final Map<DeniedBy, LongAdder> deniedBy = new ConcurrentHashMap<>();
    final LongAdder exempt = new LongAdder();
    final LongAdder notLimited = new LongAdder();
    final LongAdder allowed = new LongAdder();
    final LongAdder limited = new LongAdder();
    final LongAdder impossible = new LongAdder();
    final LongAdder penalized = new LongAdder();
    final LongAdder unavailableDenied = new LongAdder();
    final LongAdder unavailableAllowed = new LongAdder();

    Counts() {}

    public LimitCounts of(String limit) {
        return limits.computeIfAbsent(limit, LimitCounts::new);
    }

    /** The counts of each limit, in the order of their names. */
    public List<LimitCounts> limits() {
        List<LimitCounts> sorted = new ArrayList<>(limits.values());
        sorted.sort(Comparator.comparing(LimitCounts::limit));
        return sorted;
    }

    /**
     * The limit that refused a request, and why.
     *
     * @param limit the outermost limit that refused; null for a penalty, which is no limit's
     * @param reason any but {@link Reason#ALLOWED}
     */
    public record DeniedBy(@Nullable String limit, Reason reason) {}

    /**
     * The number of refused requests by limit and reason; most first. The sum is {@link #denied}. At most as many
     * entries as there are limits and reasons.
     */
    public Map<DeniedBy, Long> deniedBy() {
        Map<DeniedBy, Long> found = new HashMap<>();
        deniedBy.forEach((by, count) -> found.put(by, count.sum()));
        Map<DeniedBy, Long> sorted = new LinkedHashMap<>();
        found.entrySet().stream()
                .sorted(Map.Entry.<DeniedBy, Long>comparingByValue()
                        .reversed()
                        .thenComparing(entry -> String.valueOf(entry.getKey().limit()))
                        .thenComparing(entry -> entry.getKey().reason()))
                .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        return sorted;
    }

    /** Requests to which no limit applied: {@link #exempt} and {@link #notLimited}. */
    public long untouched() {
        return exempt() + notLimited();
    }

    /** Requests of exempt subjects. */
    public long exempt() {
        return exempt.sum();
    }

    /** Requests that no limit matches, and all requests while limiting is disabled. */
    public long notLimited() {
        return notLimited.sum();
    }

    /** Requests that all limits admitted. */
    public long allowed() {
        return allowed.sum();
    }

    /** Requests that a limit refused for now. */
    public long limited() {
        return limited.sum();
    }

    /** Requests whose cost is above a limit's capacity. */
    public long impossible() {
        return impossible.sum();
    }

    /** Requests of subjects in a backoff. */
    public long penalized() {
        return penalized.sum();
    }

    /** Requests refused because the store did not answer. */
    public long unavailableDenied() {
        return unavailableDenied.sum();
    }

    /** Requests allowed although the store did not answer. */
    public long unavailableAllowed() {
        return unavailableAllowed.sum();
    }

    /** All requests that were refused. */
    public long denied() {
        return limited() + impossible() + penalized() + unavailableDenied();
    }

    void count(Outcome outcome) {
        switch (outcome.reason()) {
            case ALLOWED -> (outcome.isUntouched() ? notLimited : allowed).increment();
            case LIMITED -> limited.increment();
            case IMPOSSIBLE -> impossible.increment();
            case PENALIZED -> penalized.increment();
            case UNAVAILABLE -> (outcome.allowed() ? unavailableAllowed : unavailableDenied).increment();
        }
        if (!outcome.allowed()) {
            LimitResult decisive = outcome.decisive();
            DeniedBy by = new DeniedBy(decisive == null ? null : decisive.name(), outcome.reason());
            deniedBy.computeIfAbsent(by, key -> new LongAdder()).increment();
        }
    }
}

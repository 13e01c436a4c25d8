package dev.weir.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The number of decisions since the start: in total, and for each limit. The counts survive a change of the
 * configuration. Safe for use by any number of threads.
 */
public final class Counts {
    private final Map<String, LimitCounts> limits = new ConcurrentHashMap<>();
    final LongAdder untouched = new LongAdder();
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

    /** Requests to which no limit applied. */
    public long untouched() {
        return untouched.sum();
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
            case ALLOWED -> (outcome.isUntouched() ? untouched : allowed).increment();
            case LIMITED -> limited.increment();
            case IMPOSSIBLE -> impossible.increment();
            case PENALIZED -> penalized.increment();
            case UNAVAILABLE -> (outcome.allowed() ? unavailableAllowed : unavailableDenied).increment();
        }
    }
}

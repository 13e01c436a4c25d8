package dev.weir.engine;

import java.util.concurrent.atomic.LongAdder;

/** The number of results of one limit since the start. Safe for use by any number of threads. */
public final class LimitCounts {
    private final String limit;
    final LongAdder allowed = new LongAdder();
    final LongAdder limited = new LongAdder();
    final LongAdder impossible = new LongAdder();
    final LongAdder unavailable = new LongAdder();
    final LongAdder shadowDenied = new LongAdder();
    final LongAdder warned = new LongAdder();

    LimitCounts(String limit) {
        this.limit = limit;
    }

    /** The limit's name. */
    public String limit() {
        return limit;
    }

    /** Allowed requests that this limit admitted. */
    public long allowed() {
        return allowed.sum();
    }

    /** Requests that this limit refused: {@link #limited}, {@link #impossible} and {@link #unavailable}. */
    public long denied() {
        return limited() + impossible() + unavailable();
    }

    /** Requests that this limit refused because it is used up for now. */
    public long limited() {
        return limited.sum();
    }

    /** Requests that this limit refused because waiting does not help. */
    public long impossible() {
        return impossible.sum();
    }

    /** Requests that this limit refused because the store did not answer. */
    public long unavailable() {
        return unavailable.sum();
    }

    /** Allowed requests that this shadow limit would have refused. */
    public long shadowDenied() {
        return shadowDenied.sum();
    }

    /** Requests that took this limit beyond its warning mark. */
    public long warned() {
        return warned.sum();
    }
}

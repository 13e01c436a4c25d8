package dev.weir.engine;

import java.util.concurrent.atomic.LongAdder;

/** The number of results of one limit since the start. Safe for use by any number of threads. */
public final class LimitCounts {
    private final String limit;
    final LongAdder allowed = new LongAdder();
    final LongAdder denied = new LongAdder();
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

    /** Requests that this limit refused. */
    public long denied() {
        return denied.sum();
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

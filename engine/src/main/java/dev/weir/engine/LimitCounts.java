package dev.weir.engine;

import java.util.concurrent.atomic.LongAdder;

/** How often one limit has said what, since the start. Safe for use by any number of threads. */
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

    /** Requests that it admitted, and that passed. */
    public long allowed() {
        return allowed.sum();
    }

    /** Requests that it refused. */
    public long denied() {
        return denied.sum();
    }

    /** Requests that passed and that it would have refused, were it not a shadow. */
    public long shadowDenied() {
        return shadowDenied.sum();
    }

    /** Requests that took it beyond its warning mark. */
    public long warned() {
        return warned.sum();
    }
}

package dev.weir.engine.guard;

import java.util.Locale;

/** The calls of a store, as metrics name them. */
public enum StoreCall {
    CONSUME,
    PEEK,
    REFUND,
    RESET,
    RESERVE,
    SETTLE,
    CANCEL,
    PROLONG,
    ACQUIRE,
    RENEW,
    RELEASE;

    /** The name in lower case. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}

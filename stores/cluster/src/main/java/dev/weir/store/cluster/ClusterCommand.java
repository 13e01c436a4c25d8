package dev.weir.store.cluster;

import dev.weir.store.consensus.BytesIn.MalformedException;

/** The commands of the replicated state machine. Their numbers are part of the format. */
enum ClusterCommand {
    CONSUME,
    PEEK,
    REFUND,
    REFUND_RESERVATION,
    RESET,
    RESERVE,
    SETTLE,
    CANCEL,
    ACQUIRE,
    RENEW,
    RELEASE,
    CHANGE_SETTINGS,
    SWEEP,
    PROLONG;

    private static final ClusterCommand[] ALL = values();

    @SuppressWarnings("EnumOrdinal") // The order is the format: add new commands at the end.
    int number() {
        return ordinal();
    }

    static ClusterCommand of(int number) {
        if (number >= ALL.length) {
            throw new MalformedException("unknown verb " + number);
        }
        return ALL[number];
    }
}

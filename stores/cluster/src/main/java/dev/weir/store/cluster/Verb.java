package dev.weir.store.cluster;

import dev.weir.store.raft.BytesIn.MalformedException;

/** What can be asked of the book; the number of each is part of the format. */
enum Verb {
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

    private static final Verb[] ALL = values();

    @SuppressWarnings("EnumOrdinal") // The order is the format: a new verb comes last.
    int number() {
        return ordinal();
    }

    static Verb of(int number) {
        if (number >= ALL.length) {
            throw new MalformedException("unknown verb " + number);
        }
        return ALL[number];
    }
}

package dev.weir.store.redis;

/** What the script can be asked, by the numbers that it knows. */
enum Verb {
    CONSUME,
    PEEK,
    GIVE_BACK,
    RESET,
    RESERVE,
    SETTLE,
    CANCEL,
    ACQUIRE,
    RENEW,
    RELEASE,
    MEET,
    /** Equal questions to consume one charge. */
    RUN;

    int number() {
        return ordinal() + 1;
    }
}

package dev.weir.store.scripted;

/** What the script can be asked, in the order of the numbers by which it knows them: the first is 1. */
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
    RUN,
    LOOK_AT_RESERVE,
    LOOK_AT_ACQUIRE,
    PROLONG;

    int number() {
        return ordinal() + 1;
    }
}

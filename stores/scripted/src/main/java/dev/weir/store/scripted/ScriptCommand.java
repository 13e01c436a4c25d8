package dev.weir.store.scripted;

/** The commands of the script, with their numbers in the wire format. */
enum ScriptCommand {
    CONSUME(1),
    PEEK(2),
    GIVE_BACK(3),
    RESET(4),
    RESERVE(5),
    SETTLE(6),
    CANCEL(7),
    ACQUIRE(8),
    RENEW(9),
    RELEASE(10),
    FIRST_SEEN(11),
    /** Several equal requests to consume one charge. */
    RUN(12),
    LOOK_AT_RESERVE(13),
    LOOK_AT_ACQUIRE(14),
    PROLONG(15);

    private final int number;

    ScriptCommand(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}

package dev.weir.memory;

/** What can be done to a packed state. */
enum Verb {
    /** Spend if it fits. */
    TAKE,
    /** Spend whether it fits or not. */
    SPEND,
    GIVE_BACK,
    /** Change nothing. */
    LOOK
}

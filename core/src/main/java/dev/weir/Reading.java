package dev.weir;

import java.time.Duration;

/** The answer to one charge. */
public sealed interface Reading {

    /** What is available at once, after this answer; never negative, also when the budget is in debt. */
    long remaining();

    /** How long until the budget is whole again if nothing more is spent; zero when it is whole. */
    Duration resetAfter();

    /** The cost was spent. */
    record Admitted(long remaining, Duration resetAfter) implements Reading {}

    /** The cost fits, and nothing was spent: it was only asked for, or another charge of the request was refused. */
    record Fits(long remaining, Duration resetAfter) implements Reading {}

    /** Nothing was spent; the same charge fits after {@code retryAfter} if nobody else spends meanwhile. */
    record Refused(long remaining, Duration retryAfter, Duration resetAfter) implements Reading {}

    /** Nothing was spent and waiting will not help: the cost is larger than the capacity. */
    record Impossible(long remaining, long capacity, Duration resetAfter) implements Reading {}
}

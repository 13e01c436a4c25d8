package dev.weir;

import java.time.Duration;

/** The result of one charge. */
public sealed interface Reading {

    /** What is available at once, after this charge; never negative, also when the budget is in debt. */
    long remaining();

    /** How long until the budget is full again if nothing more is spent; zero when it is full. */
    Duration resetAfter();

    /** The cost was spent. */
    record Admitted(long remaining, Duration resetAfter) implements Reading {}

    /** The cost fits, and nothing was spent: the call was a peek, or another charge of the request was refused. */
    record Fits(long remaining, Duration resetAfter) implements Reading {}

    /** Nothing was spent. The same charge fits after {@code retryAfter} if nothing else is spent meanwhile. */
    record Refused(long remaining, Duration retryAfter, Duration resetAfter) implements Reading {}

    /** Nothing was spent and waiting will not help: the cost is larger than the capacity. */
    record Impossible(long remaining, long capacity, Duration resetAfter) implements Reading {}
}

package dev.weir.benchmarks;

/** The result that a contestant must return, from the first request to the last. */
public enum Outcome {
    ALLOWED,
    DENIED;

    /** The budget that leads to it; the first request of {@link #DENIED} is still allowed. */
    Budget budget() {
        return this == ALLOWED ? Budget.PLENTY : Budget.ONE_A_DAY;
    }
}

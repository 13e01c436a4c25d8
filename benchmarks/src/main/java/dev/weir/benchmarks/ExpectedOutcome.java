package dev.weir.benchmarks;

/** The result that a contestant must return, from the first request to the last. */
public enum ExpectedOutcome {
    ALLOWED,
    DENIED;

    /** The budget that leads to it; the first request of {@link #DENIED} is still allowed. */
    BudgetSize budget() {
        return this == ALLOWED ? BudgetSize.PLENTY : BudgetSize.ONE_A_DAY;
    }
}

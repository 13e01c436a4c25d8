package dev.weir.testkit.model;

import dev.weir.Policy;

/** The closed policy: a limit of zero. */
final class ClosedBudget extends Budget {
    ClosedBudget(Policy policy) {
        super(policy);
    }

    @Override
    long available(long now) {
        return 0;
    }

    @Override
    long retryAfter(long cost, long now) {
        throw new IllegalArgumentException("a closed limit never admits");
    }

    @Override
    long resetAfter(long now) {
        return 0;
    }

    @Override
    void spend(long cost, long now) {}

    @Override
    void giveBack(long cost, long spentAt, long now) {}
}

package dev.weir.benchmarks;

import java.util.concurrent.atomic.AtomicLong;

/** The physical limit with a precise clock: one clock reading and one compare-and-set; a refusal writes nothing. */
class BareLimiter {
    /** Origin of all times, so that they are positive. */
    final long origin = System.nanoTime() - 1;

    private final long price;
    private final long bucket;
    private final AtomicLong state = new AtomicLong();

    BareLimiter(BudgetSize budget) {
        this.price = budget.nanosPerToken();
        this.bucket = budget.nanosPerBucket();
    }

    boolean tryConsume() {
        return tryConsume(System.nanoTime() - origin);
    }

    final boolean tryConsume(long now) {
        while (true) {
            long present = state.get();
            long next = Gcra.next(present, now, price, bucket);
            if (next == Gcra.REFUSED) {
                return false;
            }
            if (state.compareAndSet(present, next)) {
                return true;
            }
        }
    }
}

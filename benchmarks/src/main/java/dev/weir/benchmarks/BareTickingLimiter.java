package dev.weir.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The physical limit with a ticking clock: a thread publishes the time every millisecond. A refusal is decided with the
 * precise time.
 */
final class BareTickingLimiter extends BareLimiter implements AutoCloseable {
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(1);

    private final Clock clock = new Clock(origin);

    BareTickingLimiter(BudgetSize budget) {
        super(budget);
        Thread ticker = new Thread(clock, "benchmark-ticker");
        ticker.setDaemon(true);
        ticker.start();
    }

    /** A separate object, so that no field written for every request shares its cache line. */
    private static final class Clock implements Runnable {
        private final long origin;
        private volatile long now;
        private volatile boolean closed;

        Clock(long origin) {
            this.origin = origin;
            this.now = System.nanoTime() - origin;
        }

        @Override
        public void run() {
            while (!closed) {
                now = System.nanoTime() - origin;
                LockSupport.parkNanos(TICK);
            }
        }
    }

    @Override
    boolean tryConsume() {
        return tryConsume(clock.now) || super.tryConsume();
    }

    @Override
    public void close() {
        clock.closed = true;
    }
}

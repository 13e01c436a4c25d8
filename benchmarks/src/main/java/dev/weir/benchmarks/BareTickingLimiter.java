package dev.weir.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The limit with a ticking clock: a thread publishes the time every millisecond, and a refusal is decided by the precise
 * time.
 */
final class BareTickingLimiter extends BareLimiter implements AutoCloseable {
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(1);

    private final Clock clock = new Clock(origin);

    BareTickingLimiter(Budget budget) {
        super(budget);
        Thread ticker = new Thread(clock, "benchmark-ticker");
        ticker.setDaemon(true);
        ticker.start();
    }

    /** An object of its own, so that what is written for every request is not beside it. */
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

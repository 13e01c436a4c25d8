package dev.weir.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The limit with a ticking clock: a thread publishes the time every millisecond, and a refusal is decided by the precise
 * time.
 */
final class BareTickingLimiter implements AutoCloseable {
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(1);

    private final long origin = System.nanoTime() - 1;
    private final long price;
    private final long bucket;
    private final AtomicLong state = new AtomicLong();
    private final Clock clock = new Clock(origin);

    BareTickingLimiter(Budget budget) {
        this.price = budget.nanosPerToken();
        this.bucket = budget.nanosPerBucket();
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

    boolean tryConsume() {
        return tryConsume(clock.now) || tryConsume(System.nanoTime() - origin);
    }

    private boolean tryConsume(long now) {
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

    @Override
    public void close() {
        clock.closed = true;
    }
}

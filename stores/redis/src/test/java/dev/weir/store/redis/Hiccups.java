package dev.weir.store.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how long the machine delays a thread that wakes up. This delay is part of every measured latency and not
 * caused by the store.
 */
final class Hiccups implements AutoCloseable {
    private static final long NAP_NANOS = 1_000_000;

    private final AtomicLong worst = new AtomicLong();
    private final Thread thread = new Thread(this::run, "hiccups");
    private volatile boolean over;

    Hiccups() {
        thread.setDaemon(true);
        thread.start();
    }

    /** The longest so far. */
    Duration worst() {
        return Duration.ofNanos(worst.get());
    }

    private void run() {
        while (!over) {
            long begun = System.nanoTime();
            LockSupport.parkNanos(NAP_NANOS);
            worst.accumulateAndGet(System.nanoTime() - begun - NAP_NANOS, Math::max);
        }
    }

    @Override
    public void close() {
        over = true;
    }
}

package dev.weir.store.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * How long the machine holds up a thread that only wants to wake up. That is part of every latency on it, and none of the
 * store's doing.
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

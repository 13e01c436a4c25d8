package dev.weir.remote;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends the wait for answers that do not come in time.
 *
 * <p>Every wait is equally long, so the first in the line is always the first to end: a queue and one daemon thread, which
 * starts with the first wait and sleeps while there is none. What was answered in time is passed over.
 */
public final class Deadlines implements AutoCloseable {
    private final long nanos;
    private final ConcurrentLinkedQueue<Wait> line = new ConcurrentLinkedQueue<>();
    /** Set while the thread is about to sleep, so that whoever comes then wakes it. */
    private volatile boolean idle;

    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    /** Waits that are all as long as this. */
    public Deadlines(Duration deadline) {
        this.nanos = deadline.toNanos();
    }

    /** Something that must be over by a time. */
    private record Wait(long endsAt, BooleanSupplier isOver, Runnable expire) {}

    /** Calls back when the deadline has passed and the wait is not over by then. */
    public void watch(BooleanSupplier isOver, Runnable expire) {
        line.add(new Wait(System.nanoTime() + nanos, isOver, expire));
        Thread running = thread;
        if (running == null) {
            running = start();
        }
        if (idle) {
            LockSupport.unpark(running);
        }
    }

    @Override
    public void close() {
        closed = true;
        Thread running = thread;
        if (running != null) {
            LockSupport.unpark(running);
        }
    }

    private synchronized Thread start() {
        Thread running = thread;
        if (running == null) {
            running = new Thread(this::run, "weir-deadlines");
            running.setDaemon(true);
            thread = running;
            running.start();
        }
        return running;
    }

    private void run() {
        while (!closed) {
            Wait first = line.peek();
            if (first == null) {
                sleepUntilNeeded();
                continue;
            }
            long left = first.endsAt - System.nanoTime();
            if (first.isOver.getAsBoolean()) {
                line.poll();
            } else if (left > 0) {
                LockSupport.parkNanos(left);
            } else {
                line.poll();
                first.expire.run();
            }
        }
    }

    private void sleepUntilNeeded() {
        idle = true;
        if (line.isEmpty() && !closed) {
            LockSupport.park();
        }
        idle = false;
    }
}

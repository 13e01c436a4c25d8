package dev.weir.remote;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A timeout queue: calls back when a result is not complete after a fixed time.
 *
 * <p>Every timeout is equally long, so the head of the queue is always the first to expire. One daemon thread serves
 * the queue. It starts with the first element and parks while the queue is empty. Elements that completed in time are
 * removed. Safe for use by any number of threads.
 */
public final class TimeoutQueue implements AutoCloseable {
    private final long nanos;
    private final ConcurrentLinkedQueue<PendingTimeout> line = new ConcurrentLinkedQueue<>();
    /** Set while the thread is about to park, so that a caller that adds an element unparks it. */
    private volatile boolean idle;

    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    /** Creates a queue whose timeouts all have this length. */
    public TimeoutQueue(Duration deadline) {
        this.nanos = deadline.toNanos();
    }

    /** A call with the time at which it expires. */
    private record PendingTimeout(long endsAt, BooleanSupplier isOver, Runnable expire) {}

    /** Runs {@code expire} when the timeout has passed, unless {@code isOver} returns true by then. */
    public void watch(BooleanSupplier isOver, Runnable expire) {
        line.add(new PendingTimeout(System.nanoTime() + nanos, isOver, expire));
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
            PendingTimeout first = line.peek();
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

package dev.weir.engine.event;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** A listener's subscription to an {@link EventBus}: its buffer, its thread and its counts. See the comment there. */
public final class Subscription implements AutoCloseable {
    private static final Logger LOG = System.getLogger(EventBus.class.getName());
    /** The shortest time between two log lines about a listener that fails. */
    private static final long LOG_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final EventBus bus;
    private final String name;
    private final EventListener listener;
    final boolean wantsAllowed;
    private final EventBuffer waiting;
    private final LongAdder dropped = new LongAdder();
    private final AtomicLong failed = new AtomicLong();
    private final Thread thread;
    /** Set once: no more events are accepted, buffered ones are processed. */
    private volatile boolean finishing;
    /** Set once: buffered events are discarded. */
    private volatile boolean abandoned;
    /** Used only by the listener's thread. */
    private long logNextAtNanos = System.nanoTime();

    Subscription(EventBus bus, String name, EventBuffer waiting, EventListener listener) {
        this.bus = bus;
        this.name = name;
        this.listener = listener;
        this.wantsAllowed = listener.wantsAllowed();
        this.waiting = waiting;
        this.thread = new Thread(this::run, "weir-events-" + name);
        thread.setDaemon(true);
    }

    /** The number of events that this listener missed because its buffer was full. */
    public long dropped() {
        return dropped.sum();
    }

    /** The number of calls in which this listener threw. */
    public long failed() {
        return failed.get();
    }

    /** The number of events in this listener's buffer. */
    public int waiting() {
        return waiting.size();
    }

    /** Ends this listener's calls and discards its buffered events. Does not wait for a call that is in progress. */
    @Override
    public void close() {
        finishing = true;
        abandoned = true;
        bus.forget(this);
        if (Thread.currentThread() != thread) {
            thread.interrupt();
        }
    }

    void start() {
        thread.start();
    }

    void offer(Event event) {
        boolean wanted = wantsAllowed || !(event instanceof Event.Allowed);
        if (wanted && !finishing && !waiting.offer(event)) {
            dropped.increment();
        }
    }

    void finish() {
        finishing = true;
        LockSupport.unpark(thread);
    }

    /** Waits until the thread has ended, at most until {@code endNanos}; then abandons it. */
    boolean await(long endNanos) {
        try {
            long millis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
            if (Thread.currentThread() != thread && millis > 0) {
                thread.join(millis);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        boolean ended = !thread.isAlive();
        if (!ended) {
            abandoned = true;
            thread.interrupt();
        }
        return ended;
    }

    private void run() {
        while (!abandoned) {
            // Read before the poll: an event that was added after an empty poll but before the end is still processed.
            boolean lastLook = finishing;
            Event event = waiting.poll();
            if (event != null) {
                call(event);
            } else if (lastLook) {
                return;
            } else {
                // An interrupt from the listener itself would keep the thread from ever sleeping again. An interrupt of
                // the bus sets the flag first.
                Thread.interrupted();
                if (!abandoned) {
                    waiting.sleep();
                }
            }
        }
    }

    private void call(Event event) {
        try {
            listener.on(event);
        } catch (Throwable e) {
            long count = failed.incrementAndGet();
            long now = System.nanoTime();
            if (now - logNextAtNanos >= 0) {
                logNextAtNanos = now + LOG_EVERY_NANOS;
                LOG.log(Level.WARNING, "listener '" + name + "' has failed " + count + " times, last with this", e);
            }
        }
    }
}

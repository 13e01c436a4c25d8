package dev.weir.engine.event;

import dev.weir.DurationText;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * A stream of events, from the threads that decide to the listeners.
 *
 * <p>Publishing never blocks, takes no lock, and costs one read without listeners. Each listener has its own buffer of
 * fixed size and its own daemon thread: one that hangs or throws delays neither publishers nor other listeners. If a
 * listener's buffer is full, the event is dropped for that listener and counted. Each listener gets each event at most
 * once, and exactly once if it was not dropped and the bus was not closed before. Events of one publishing thread
 * arrive in order.
 */
public final class EventBus implements AutoCloseable {
    /*
     * Threads and states.
     *
     * Publishers are the threads that decide: event loops, request threads, the store's completion threads. They must
     * never wait for a listener. So publish reads a copy-on-write list without a lock and offers the event to each
     * subscription's EventBuffer, a ring that any number of threads write and one thread reads. A full ring drops the
     * event and counts it.
     *
     * Each subscription owns one daemon thread, the only reader of its ring and the only thread that calls the
     * listener. Therefore a listener needs no synchronization of its own, and it may block or throw.
     *
     * A subscription is in one of four states; the transitions are one way:
     *
     *   running ── finish() by EventBus.close ──► finishing ── ring empty ──────► ended
     *      │                                          └── deadline passed ─────► abandoned (interrupted)
     *      └────── Subscription.close ──────────────────────────────────────────► abandoned (interrupted)
     *
     * While finishing, the subscription takes no more events and its thread drains the ring. The thread reads
     * `finishing` before it polls: an empty poll after that is final. An abandoned subscription discards what is in its
     * ring.
     *
     * The list, the counts of removed subscriptions and `closed` change only under the monitor of the bus. close holds
     * the monitor only to set `closed` and to empty the list. It waits for the listeners outside, so that a listener
     * may call the bus while it is being closed. Publishers never take the monitor.
     */
    private static final Logger LOG = System.getLogger(EventBus.class.getName());

    private final LongAdder published = new LongAdder();
    /** Changed under this object's monitor; read without it. */
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    /** Events dropped and failures of removed listeners; guarded by this object's monitor. */
    private long droppedBefore;

    private long failedBefore;
    private boolean closed;

    /** Whether there is a listener: check before creating an event that is expensive to create. */
    public boolean isHeard() {
        return !subscriptions.isEmpty();
    }

    /** Whether a listener wants events of allowed requests. */
    public boolean hearsAllowed() {
        for (Subscription subscription : subscriptions) {
            if (subscription.wantsAllowed) {
                return true;
            }
        }
        return false;
    }

    /** Offers an event to every listener whose buffer has room; never blocks, never throws. */
    public void publish(Event event) {
        if (isHeard()) {
            published.increment();
            subscriptions.forEach(subscription -> subscription.offer(event));
        }
    }

    /**
     * Adds a listener.
     *
     * @param name for its thread and for logs
     * @param capacity the most events that its buffer holds
     */
    public synchronized Subscription subscribe(String name, int capacity, EventListener listener) {
        if (closed) {
            throw new IllegalStateException("the event bus is closed");
        }
        Subscription added = new Subscription(this, name, new EventBuffer(capacity), listener);
        subscriptions.add(added);
        added.start();
        return added;
    }

    /** The number of events published while there was a listener. */
    public long published() {
        return published.sum();
    }

    /** The number of events dropped because a listener's buffer was full, summed over all listeners. */
    public synchronized long dropped() {
        long sum = droppedBefore;
        for (Subscription subscription : subscriptions) {
            sum += subscription.dropped();
        }
        return sum;
    }

    /** The number of calls in which a listener threw. */
    public synchronized long failed() {
        long sum = failedBefore;
        for (Subscription subscription : subscriptions) {
            sum += subscription.failed();
        }
        return sum;
    }

    /** Closes with a deadline of two seconds. */
    @Override
    public void close() {
        close(Duration.ofSeconds(2));
    }

    /**
     * Stops accepting events and lets listeners process their buffers until the deadline, which is common to all of
     * them. Then interrupts the listeners that have not finished and discards their events. Blocks at most until the
     * deadline.
     *
     * @return whether every listener finished
     */
    public boolean close(Duration deadline) {
        List<Subscription> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(subscriptions);
            all.forEach(this::forget);
        }
        long end = System.nanoTime() + deadline.toNanos();
        all.forEach(Subscription::finish);
        boolean finished = true;
        for (Subscription subscription : all) {
            finished &= subscription.await(end);
        }
        if (!finished) {
            LOG.log(
                    Level.WARNING,
                    "a listener did not finish within " + DurationText.of(deadline)
                            + "; its queued events are dropped");
        }
        return finished;
    }

    synchronized void forget(Subscription gone) {
        if (subscriptions.remove(gone)) {
            droppedBefore += gone.dropped();
            failedBefore += gone.failed();
        }
    }
}

package dev.weir.engine.event;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/**
 * One stream of events, from whoever decides to whoever listens.
 *
 * <p>Publishing never waits, takes no lock and costs one read when nobody listens. Every listener has a buffer of its
 * own, of fixed size, and a daemon thread of its own: one that hangs or throws delays neither publishers nor other
 * listeners. An event that finds a buffer full is dropped for that listener and counted. Each event is given to each
 * listener at most once, and exactly once if it was not dropped and the bus is not closed over it. Events of one
 * publishing thread arrive in their order.
 */
public final class EventBus implements AutoCloseable {
    private static final Logger LOG = System.getLogger(EventBus.class.getName());

    private final LongAdder published = new LongAdder();
    /** Changed under this object's monitor; read without. */
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    /** What listeners that are gone have dropped and failed; guarded by this object's monitor. */
    private long droppedBefore;

    private long failedBefore;
    private boolean closed;

    /** Whether anybody listens: ask before making an event that is costly to make. */
    public boolean isHeard() {
        return !subscriptions.isEmpty();
    }

    /** Whether anybody wants to hear of requests that simply passed. */
    public boolean hearsAllowed() {
        for (Subscription subscription : subscriptions) {
            if (subscription.wantsAllowed) {
                return true;
            }
        }
        return false;
    }

    /** Gives an event to every listener that has room for it; never waits, never throws. */
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
     * @param capacity how many events may wait for it
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

    /** How many events somebody listened for. */
    public long published() {
        return published.sum();
    }

    /** How often an event was dropped because a listener's buffer was full. */
    public synchronized long dropped() {
        long sum = droppedBefore;
        for (Subscription subscription : subscriptions) {
            sum += subscription.dropped();
        }
        return sum;
    }

    /** How often a listener threw. */
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
     * Takes no more events, lets listeners work off what waits until the deadline for all of them has passed, then
     * interrupts those that have not finished and forgets the rest. Waits no longer than that.
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
                    "a listener did not finish within " + deadline.toMillis() + " ms; what waited for it is forgotten");
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

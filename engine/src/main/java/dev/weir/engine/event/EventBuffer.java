package dev.weir.engine.event;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Events on their way from any number of publishers to one thread, in an array of fixed size.
 *
 * <p>A publisher claims the next place with one compare-and-set and then fills it; the reader takes places in order and
 * empties them. A claimed place that is not yet filled looks empty to the reader, and its publisher wakes the reader
 * once it is. The reader says that it sleeps before it looks a last time, so no wake-up is lost.
 */
class EventBuffer {
    private final AtomicReferenceArray<@Nullable Event> places;
    private final int mask;
    private final int capacity;
    /** How many places were ever claimed. */
    private final AtomicLong claimed = new AtomicLong();
    /** How many places were ever emptied; only the reader writes it. */
    private final AtomicLong taken = new AtomicLong();
    /** The reader while it sleeps or is about to. */
    private volatile @Nullable Thread sleeper;

    EventBuffer(int capacity) {
        if (capacity < 1 || capacity > 1 << 24) {
            throw new IllegalArgumentException("capacity is " + capacity + "; it must be 1 to " + (1 << 24));
        }
        this.capacity = capacity;
        int size = Math.max(2, Integer.highestOneBit(capacity - 1) << 1);
        this.places = new AtomicReferenceArray<>(size);
        this.mask = size - 1;
    }

    /** Puts an event in if there is room; never waits. */
    boolean offer(Event event) {
        long place = claimed.get();
        while (true) {
            if (place - taken.get() >= capacity) {
                return false;
            }
            long seen = claimed.compareAndExchange(place, place + 1);
            if (seen == place) {
                break;
            }
            place = seen;
        }
        places.set((int) place & mask, event);
        wake();
        return true;
    }

    /** The next event; null when there is none yet. For the reader only. */
    @Nullable
    Event poll() {
        long next = taken.get();
        int place = (int) next & mask;
        Event event = places.get(place);
        if (event != null) {
            places.set(place, null);
            taken.set(next + 1);
        }
        return event;
    }

    /** Sleeps until something may have come; returns at once if something has, or if woken before. For the reader only. */
    void sleep() {
        sleeper = Thread.currentThread();
        if (places.get((int) taken.get() & mask) == null) {
            LockSupport.park(this);
        }
        sleeper = null;
    }

    void wake() {
        Thread reader = sleeper;
        if (reader != null) {
            LockSupport.unpark(reader);
        }
    }

    int size() {
        return (int) Math.max(0, claimed.get() - taken.get());
    }
}

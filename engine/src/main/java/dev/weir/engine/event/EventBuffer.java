package dev.weir.engine.event;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of events from any number of publishers to one reader thread, in an array of fixed size.
 *
 * <p>A publisher claims the next index with one compare-and-set and then fills it. The reader takes indexes in order
 * and empties them. A claimed index that is not filled yet looks empty to the reader; its publisher wakes the reader
 * after filling it. The reader announces that it sleeps before its last check, so no wake-up is lost.
 */
class EventBuffer {
    private final AtomicReferenceArray<@Nullable Event> places;
    private final int mask;
    private final int capacity;
    /** The number of indexes ever claimed. */
    private final AtomicLong claimed = new AtomicLong();
    /** The number of indexes ever emptied; only the reader writes it. */
    private final AtomicLong taken = new AtomicLong();
    /** The reader while it sleeps or is about to sleep. */
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

    /** Adds an event if there is room; never blocks. */
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

    /** The next event; null if there is none yet. For the reader only. */
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

    /**
     * Sleeps until an event may be there. Returns at once if there is one, or after an earlier wake-up. For the reader
     * only.
     */
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

package dev.weir.remote;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * How a thread waits for a result that may come soon: it polls for it before it parks.
 *
 * <p>Parking and being woken takes a thread more CPU time than most results do. By default a thread <em>yields</em> at most
 * eight times and looks after each yield: with many callers the result is there by then, and with few this takes a few
 * microseconds. A store may be told to <em>spin</em>: then a thread yields and looks for up to 0.2 ms, and an event loop polls
 * for as long while calls are in flight and no thread waits. Both learn: where results do not come in that time, or other
 * programs take the core meanwhile, nearly every wait parks at once.
 *
 * <p>Shared by all callers of one backend. Safe for use by several threads.
 */
public final class SpinWait {
    /** The longest time to spin. With no other thread to run, this is all that it costs. */
    static final long LONGEST_NANOS = 200_000;

    /** With many threads to run, a yield takes as long as they do: so many are made however long it has been. */
    private static final int LEAST_LOOKS = 16;

    private static final int MOST_YIELDS = 8;

    /** A thread that yields and gets the core back so late would have been woken sooner. */
    private static final long LATE_NANOS = 1_000_000;

    private final Worth worth = new Worth();
    private final AtomicInteger waitingThreads = new AtomicInteger();
    private final AtomicInteger callsUnderWay = new AtomicInteger();
    private final boolean spins;
    private final LongSupplier nanoClock;
    /** Whether a thread has waited since the last {@link #hasThreadWaited}. */
    private volatile boolean threadWaited;

    SpinWait(boolean spins, LongSupplier nanoClock) {
        this.spins = spins;
        this.nanoClock = nanoClock;
    }

    /** Yields a few times before parking. */
    public static SpinWait yielding() {
        return new SpinWait(false, System::nanoTime);
    }

    /** Spins for up to 0.2 ms before parking. */
    public static SpinWait spinning() {
        return new SpinWait(true, System::nanoTime);
    }

    /** A thread is about to wait. */
    void noteThread() {
        // Read first: a write by every thread would move the cache line between cores.
        if (!threadWaited) {
            threadWaited = true;
        }
    }

    /** Whether a thread has waited since the last call of this method. */
    boolean hasThreadWaited() {
        boolean waited = threadWaited;
        if (waited) {
            threadWaited = false;
        }
        return waited;
    }

    /** Whether polling has lately paid. */
    boolean pays() {
        return worth.present > 0;
    }

    /** A call has left: event loops spin until it ends. */
    public void callLeft(CompletionStage<?> call) {
        callsUnderWay.incrementAndGet();
        var unused = call.whenComplete((answer, failure) -> callsUnderWay.decrementAndGet());
    }

    /** For one event loop. */
    public Loop loop() {
        return new Loop();
    }

    /** A thread begins to wait, spinning or parked: meanwhile no event loop takes the core that it needs. */
    void begin() {
        if (spins) {
            waitingThreads.incrementAndGet();
        }
    }

    /** It has ended. */
    void end() {
        if (spins) {
            waitingThreads.decrementAndGet();
        }
    }

    boolean isAThreadWaiting() {
        return waitingThreads.get() > 0;
    }

    /** Whether the answer came while the thread spun for it. */
    boolean sees(Promise<?> promise, long begun, long timeoutNanos) {
        if (!worth.isWorthIt()) {
            return false;
        }
        boolean seen = isSeen(promise, begun, timeoutNanos);
        if (seen && (spins || nanoClock.getAsLong() - begun < LATE_NANOS)) {
            worth.paid();
        } else {
            worth.failed();
        }
        return seen;
    }

    @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on the yield.
    private boolean isSeen(Promise<?> promise, long begun, long timeoutNanos) {
        for (int looks = 0; !isLongEnough(looks, nanoClock.getAsLong() - begun, timeoutNanos); looks++) {
            Thread.yield();
            if (promise.isDone()) {
                return true;
            }
        }
        return false;
    }

    private boolean isLongEnough(int looks, long waited, long timeoutNanos) {
        if (waited > timeoutNanos) {
            return true;
        }
        return spins ? waited > LONGEST_NANOS && looks > LEAST_LOOKS : looks == MOST_YIELDS || waited > LATE_NANOS;
    }

    /**
     * Whether an event loop that has nothing to do should look again instead of sleeping. It does not yield between its
     * looks, unlike a thread: where others have work, they would not let it go on for milliseconds, whereas one who sleeps is
     * woken at once. So it sleeps when it notices that it was held up. Used by the loop's thread only.
     */
    public final class Loop {
        /** Between two looks, which take a microsecond, so much passes only if another thread had the core. */
        private static final long HELD_UP_NANOS = 30_000;

        private final Worth worth = new Worth();
        private boolean spinning;
        private long begunAt;
        private long lookedAt;

        /** Whether to look once more; if not, the loop sleeps. */
        public boolean looksAgain() {
            if (callsUnderWay.get() == 0 || isAThreadWaiting()) {
                spinning = false;
                return false;
            }
            long now = nanoClock.getAsLong();
            if (!spinning) {
                if (!worth.isWorthIt()) {
                    return false;
                }
                spinning = true;
                begunAt = now;
            } else if (now - begunAt > LONGEST_NANOS || now - lookedAt > HELD_UP_NANOS) {
                spinning = false;
                worth.failed();
                return false;
            }
            lookedAt = now;
            return true;
        }

        /** It has something to do: if it spun, that has paid. */
        public void hasWork() {
            if (spinning) {
                spinning = false;
                worth.paid();
            }
        }
    }

    /**
     * Whether spinning has lately paid: lost faster than won, and tried again now and then once it is lost. An update that is
     * lost to another thread makes it learn a little later.
     */
    private static final class Worth {
        private static final int MOST = 64;
        private static final int LOST = 4;
        private static final int TRIED = 8;
        private static final int PARKED_BETWEEN_TRIES = 256;

        /** Above zero it is worth it; below, waits are counted that parked at once until one tries again. */
        private volatile int present = MOST;

        private boolean isWorthIt() {
            int seen = present;
            if (seen > 0) {
                return true;
            }
            if (seen > -PARKED_BETWEEN_TRIES) {
                present = seen - 1;
                return false;
            }
            present = TRIED;
            return true;
        }

        private void paid() {
            int seen = present;
            if (seen < MOST) {
                present = seen + 1;
            }
        }

        private void failed() {
            int seen = present;
            present = Math.max(0, seen - LOST);
        }
    }
}

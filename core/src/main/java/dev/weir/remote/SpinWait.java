package dev.weir.remote;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * How a thread waits for a result that is expected soon: it polls before it parks.
 *
 * <p>Parking and unparking takes a thread more CPU time than most results do. By default a thread <em>yields</em> at
 * most eight times and polls after each yield. With many callers the result is complete by then; with few this takes a
 * few microseconds. A store may be configured to <em>spin</em>. Then a thread yields and polls for up to 0.2 ms, and an
 * event loop polls for as long while calls are in flight and no thread waits. Both adapt: where results do not come in
 * that time, or other programs take the core meanwhile, nearly every wait parks at once.
 *
 * <p>Shared by all callers of one backend. Safe for use by several threads.
 */
public final class SpinWait {
    /** The longest time to spin. With no other runnable thread, this is the whole cost. */
    static final long LONGEST_NANOS = 200_000;

    /** Under load one yield may take long, so a thread polls at least this many times. */
    private static final int LEAST_LOOKS = 16;

    private static final int MOST_YIELDS = 8;

    /** If a yield returns the core later than this, parking would have been faster. */
    private static final long LATE_NANOS = 1_000_000;

    private final SpinCredit worth = new SpinCredit();
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

    /** Records that a thread is about to wait. */
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

    /** Whether polling has succeeded often enough lately. */
    boolean pays() {
        return worth.present > 0;
    }

    /** Records a call in flight: event loops spin until it completes. */
    public void callLeft(CompletionStage<?> call) {
        callsUnderWay.incrementAndGet();
        var unused = call.whenComplete((answer, failure) -> callsUnderWay.decrementAndGet());
    }

    /** Creates the spin state of one event loop. */
    public EventLoopSpin loop() {
        return new EventLoopSpin();
    }

    /**
     * Records that a thread begins to wait, spinning or parked. Meanwhile no event loop spins, because the thread needs
     * the core.
     */
    void begin() {
        if (spins) {
            waitingThreads.incrementAndGet();
        }
    }

    /** Records that the wait has ended. */
    void end() {
        if (spins) {
            waitingThreads.decrementAndGet();
        }
    }

    boolean isAThreadWaiting() {
        return waitingThreads.get() > 0;
    }

    /** Polls, if spinning has paid lately, and returns whether the result came meanwhile. */
    boolean spinUntilDone(Promise<?> promise, long begun, long timeoutNanos) {
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
     * Decides whether an idle event loop polls again instead of sleeping. Unlike a waiting thread, it does not yield
     * between polls: other threads with work would then keep the core for milliseconds, whereas a sleeping loop is
     * woken at once. So it sleeps when it notices that another thread had the core. Used by the loop's thread only.
     */
    public final class EventLoopSpin {
        /** Two polls are a microsecond apart; this much passes between them only if another thread had the core. */
        private static final long HELD_UP_NANOS = 30_000;

        private final SpinCredit worth = new SpinCredit();
        private boolean spinning;
        private long begunAt;
        private long lookedAt;

        /** Whether the loop polls once more; if not, it sleeps. */
        public boolean shouldSpin() {
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

        /** Records that the loop has work: if it was spinning, the spin has paid. */
        public void hasWork() {
            if (spinning) {
                spinning = false;
                worth.paid();
            }
        }
    }

    /**
     * Adaptive spin credit: it decreases faster on a miss than it grows on a hit. Without credit, spinning is tried
     * again now and then. An update that is lost to another thread delays the adaptation a little.
     */
    private static final class SpinCredit {
        private static final int MOST = 64;
        private static final int LOST = 4;
        private static final int TRIED = 8;
        private static final int PARKED_BETWEEN_TRIES = 256;

        /** Above zero, waits spin. Below, it counts the waits that parked at once, until one tries to spin again. */
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

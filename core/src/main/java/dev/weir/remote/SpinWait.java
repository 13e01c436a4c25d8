package dev.weir.remote;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Waits for answers that mostly come soon by spinning for a moment before parking: an option of stores, off unless asked for.
 *
 * <p>To park and to be woken takes a thread more of the CPU than most answers do, and more time than a Redis nearby. A thread
 * that spins yields before it looks again, so that it takes only CPU time that no other thread needs, and for a fraction of a millisecond at
 * most. An event loop spins in its place while calls are under way and no thread waits. Where answers do not come within
 * that time, nearly every wait parks from the start.
 *
 * <p>Shared by all who wait for one backend. Safe for use by several threads.
 */
public final class SpinWait {
    /** The longest time to spin. With no other thread to run, this is all that it costs. */
    static final long LONGEST_NANOS = 200_000;

    /** With many to run, a look takes as long as they do: so many are taken however long it has been. */
    private static final int LEAST_LOOKS = 16;

    private final Worth worth = new Worth();
    private final AtomicInteger waitingThreads = new AtomicInteger();
    private final AtomicInteger callsUnderWay = new AtomicInteger();
    private final LongSupplier nanoClock;

    public SpinWait() {
        this(System::nanoTime);
    }

    SpinWait(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
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
        waitingThreads.incrementAndGet();
    }

    /** It has ended. */
    void end() {
        waitingThreads.decrementAndGet();
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
        if (seen) {
            worth.paid();
        } else {
            worth.failed();
        }
        return seen;
    }

    @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on the yield.
    private boolean isSeen(Promise<?> promise, long begun, long timeoutNanos) {
        for (int looks = 0; ; looks++) {
            long waited = nanoClock.getAsLong() - begun;
            if (waited > timeoutNanos || (waited > LONGEST_NANOS && looks > LEAST_LOOKS)) {
                return false;
            }
            Thread.yield();
            if (promise.isDone()) {
                return true;
            }
        }
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

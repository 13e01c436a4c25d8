package dev.weir.remote;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How threads wait for answers that mostly come soon: awake for a moment, and only then asleep.
 *
 * <p>To sleep and to be woken takes a thread more of the CPU than most answers do, and more time than a Redis nearby. Who
 * is awake lets everybody else run before it looks again, so that it takes only what nobody needs, and for a fraction of a
 * millisecond at most. Where answers do not come within that, nearly every wait is slept through from the start.
 *
 * <p>Shared by all who wait for one backend. Safe for use by several threads.
 */
public final class Vigil {
    /** For so long one stays awake at most. With nobody else to run, this is all it costs. */
    public static final long LONGEST_NANOS = 200_000;

    /** With many to run, a look takes as long as they do: so many are taken however long it has been. */
    private static final int LEAST_LOOKS = 16;

    private final Trust trust = new Trust();
    private final AtomicInteger waiting = new AtomicInteger();

    /** Whether a thread waits now, awake or asleep: then nobody else should take the time that it needs. */
    public boolean isKept() {
        return waiting.get() > 0;
    }

    /** A thread begins to wait. */
    void begin() {
        waiting.incrementAndGet();
    }

    /** It has ended. */
    void end() {
        waiting.decrementAndGet();
    }

    /** Whether the answer came while one was awake for it. */
    boolean sees(Promise<?> promise, long begun, long timeoutNanos) {
        if (!trust.isWorthIt()) {
            return false;
        }
        boolean seen = isSeen(promise, begun, timeoutNanos);
        if (seen) {
            trust.paid();
        } else {
            trust.failed();
        }
        return seen;
    }

    @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on the yield.
    private static boolean isSeen(Promise<?> promise, long begun, long timeoutNanos) {
        for (int looks = 0; ; looks++) {
            long waited = System.nanoTime() - begun;
            if (waited > timeoutNanos || (waited > LONGEST_NANOS && looks > LEAST_LOOKS)) {
                return false;
            }
            Thread.yield();
            if (promise.isDone()) {
                return true;
            }
        }
    }
}

package dev.weir.remote;

/**
 * How threads wait for answers that mostly come soon: awake for a moment, and only then asleep.
 *
 * <p>To sleep and to be woken takes a thread more of the CPU than most answers do, and more time than a Redis nearby. Who
 * is awake lets everybody else run before it looks again, so that it takes only what nobody needs, and for a fraction of a
 * millisecond at most. Where answers do not come within that, nearly every wait is slept through from the start.
 *
 * <p>Shared by all who wait for one backend. Safe for use by several threads.
 */
final class Vigil {
    /** With nobody else to run, this is all it costs. */
    private static final long LONGEST_NANOS = 200_000;

    /** With many to run, a look takes as long as they do: so many are taken however long it has been. */
    private static final int LEAST_LOOKS = 16;

    private static final int MOST_TRUST = 64;
    private static final int TRUST_LOST = 4;
    private static final int TRUST_TRIED = 8;
    private static final int SLEPT_THROUGH = 256;

    /**
     * Above zero, who waits stays awake; below, it counts those who slept until one tries again. Any thread may write: an
     * update that is lost to another makes it learn a little later.
     */
    private volatile int trust = MOST_TRUST;

    /** Whether the answer came while one was awake for it. */
    @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on the yield.
    boolean sees(Promise<?> promise, long begun, long timeoutNanos) {
        if (!isWorthIt()) {
            return false;
        }
        for (int looks = 0; ; looks++) {
            long waited = System.nanoTime() - begun;
            if (waited > timeoutNanos || (waited > LONGEST_NANOS && looks > LEAST_LOOKS)) {
                int present = trust;
                trust = Math.max(0, present - TRUST_LOST);
                return false;
            }
            Thread.yield();
            if (promise.isDone()) {
                int present = trust;
                if (present < MOST_TRUST) {
                    trust = present + 1;
                }
                return true;
            }
        }
    }

    private boolean isWorthIt() {
        int present = trust;
        if (present > 0) {
            return true;
        }
        if (present > -SLEPT_THROUGH) {
            trust = present - 1;
            return false;
        }
        trust = TRUST_TRIED;
        return true;
    }
}

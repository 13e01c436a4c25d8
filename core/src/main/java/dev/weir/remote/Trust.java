package dev.weir.remote;

/**
 * Whether it has lately paid to stay awake for an answer: lost faster than won, and tried again now and then once it is lost.
 *
 * <p>Safe for use by several threads; an update that is lost to another makes it learn a little later.
 */
public final class Trust {
    private static final int MOST = 64;
    private static final int LOST = 4;
    private static final int TRIED = 8;
    private static final int SLEPT_THROUGH = 256;

    /** Above zero it is worth it; below, those are counted who slept until one tries again. */
    private volatile int present = MOST;

    /** Whether who is about to wait should stay awake; then {@link #paid} or {@link #failed} is told how it ended. */
    public boolean isWorthIt() {
        int seen = present;
        if (seen > 0) {
            return true;
        }
        if (seen > -SLEPT_THROUGH) {
            present = seen - 1;
            return false;
        }
        present = TRIED;
        return true;
    }

    /** The answer came while one was awake. */
    public void paid() {
        int seen = present;
        if (seen < MOST) {
            present = seen + 1;
        }
    }

    /** It did not. */
    public void failed() {
        int seen = present;
        present = Math.max(0, seen - LOST);
    }
}

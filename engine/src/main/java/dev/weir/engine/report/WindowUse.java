package dev.weir.engine.report;

/**
 * What one key uses in each period, if nothing were refused. A period begins with the first request after the previous
 * one. Callers pass the time in any unit. Not thread-safe.
 */
public final class WindowUse {
    private long windowStart;
    private long used;
    private long peak;

    public WindowUse(long now) {
        this.windowStart = now;
    }

    /** Adds a request. If the last period is over, what it used is added to the histogram {@code weight} times. */
    public void add(long now, long cost, long period, WindowHistogram ended, double weight) {
        if (now - windowStart >= period) {
            ended.add(used, weight);
            peak = Math.max(peak, used);
            used = 0;
            windowStart = now;
        }
        used = used + cost < 0 ? Long.MAX_VALUE : used + cost;
    }

    /** Returns what was used since the last period began. */
    public long used() {
        return used;
    }

    /** Returns the most that was used in one period, the last one included. */
    public long peak() {
        return Math.max(peak, used);
    }
}

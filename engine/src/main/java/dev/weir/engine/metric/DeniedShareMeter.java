package dev.weir.engine.metric;

import dev.weir.engine.Counts;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The share of requests that were refused in about the last minute, from 0 to 1.
 *
 * <p>It is computed on each read, from the counts at earlier reads of up to a minute ago. So it costs nothing between
 * reads, and any number of readers get the same value. Safe for use by any number of threads.
 */
final class DeniedShareMeter {
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Counts counts;
    private final LongSupplier clock;
    /** Oldest first, at most one per second; guarded by this. */
    private final Deque<Sample> samples = new ArrayDeque<>();

    DeniedShareMeter(Counts counts, LongSupplier clock) {
        this.counts = counts;
        this.clock = clock;
        samples.add(sample());
    }

    private record Sample(long nanos, long all, long denied) {}

    synchronized double value() {
        Sample now = sample();
        while (samples.size() > 1 && now.nanos - samples.getFirst().nanos > WINDOW_NANOS) {
            samples.removeFirst();
        }
        if (now.nanos - samples.getLast().nanos >= INTERVAL_NANOS) {
            samples.addLast(now);
        }
        Sample then = samples.getFirst();
        long all = now.all - then.all;
        return all == 0 ? 0 : (double) (now.denied - then.denied) / all;
    }

    private Sample sample() {
        long denied = counts.denied();
        return new Sample(clock.getAsLong(), denied + counts.allowed() + counts.unavailableAllowed(), denied);
    }
}

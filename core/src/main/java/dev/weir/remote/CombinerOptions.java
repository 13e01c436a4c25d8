package dev.weir.remote;

import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link Combiner}, the batcher. Immutable.
 *
 * @param lanes how many calls are in flight at most
 * @param lanesCalledBack how many calls are in flight at most while all callers use callbacks and {@code leastBeside}
 *     is above zero, at least {@code lanes}
 * @param mostTogether the largest batch, as the sum of the weights of its requests
 * @param mostWaiting how many requests may be queued; further ones are rejected at once
 * @param longestWait a request that was queued for longer is rejected instead of sent, because its caller has given up
 * @param relay the executor that continues to send batches when a caller's own request is complete, for calls that are
 *     complete when they return. A call that completes later is followed by the next in the thread that completed it
 * @param drivers the executor whose threads send batches, for calls that block; at least as many threads as {@code
 *     lanes}. They collect a batch only when they send it, and yield first to the callers that were just completed.
 *     Null to send in the caller's thread
 * @param leastBeside how many distinct requests justify a batch while another is in flight; fewer are sent when that
 *     one has completed. Such batches share the queue evenly, so that the backend works on one while the results of the
 *     other are delivered. 0 to send the whole queue whenever fewer than {@code lanes} calls are in flight
 * @param spinWait how threads wait for a result; null for {@link SpinWait#yielding}
 */
public record CombinerOptions(
        int lanes,
        int lanesCalledBack,
        int mostTogether,
        int mostWaiting,
        Duration longestWait,
        Executor relay,
        @Nullable Executor drivers,
        int leastBeside,
        @Nullable SpinWait spinWait) {

    private static final CombinerOptions DEFAULTS =
            new CombinerOptions(1, 1, 512, 65_536, Duration.ofSeconds(1), Runnable::run, null, 0, null);

    public CombinerOptions {
        atLeastOne("lanes", lanes);
        if (lanesCalledBack < lanes) {
            throw new IllegalArgumentException(
                    "lanesCalledBack is " + lanesCalledBack + "; it must be at least lanes, " + lanes);
        }
        atLeastOne("mostTogether", mostTogether);
        atLeastOne("mostWaiting", mostWaiting);
        if (leastBeside < 0) {
            throw new IllegalArgumentException("leastBeside must be at least 0, not " + leastBeside);
        }
        if (longestWait.isNegative() || longestWait.isZero()) {
            throw new IllegalArgumentException("longestWait must be above zero, not " + longestWait);
        }
    }

    /**
     * One call in flight, batches of up to 512, 65,536 queued requests for a second at most, and no threads besides
     * those of the callers and the backend.
     */
    public static CombinerOptions defaults() {
        return DEFAULTS;
    }

    public CombinerOptions withLanes(int value) {
        return withLanes(value, value);
    }

    public CombinerOptions withLanes(int value, int calledBack) {
        return new CombinerOptions(
                value, calledBack, mostTogether, mostWaiting, longestWait, relay, drivers, leastBeside, spinWait);
    }

    public CombinerOptions withMostTogether(int value) {
        return new CombinerOptions(
                lanes, lanesCalledBack, value, mostWaiting, longestWait, relay, drivers, leastBeside, spinWait);
    }

    public CombinerOptions withMostWaiting(int value) {
        return new CombinerOptions(
                lanes, lanesCalledBack, mostTogether, value, longestWait, relay, drivers, leastBeside, spinWait);
    }

    public CombinerOptions withLongestWait(Duration value) {
        return new CombinerOptions(
                lanes, lanesCalledBack, mostTogether, mostWaiting, value, relay, drivers, leastBeside, spinWait);
    }

    public CombinerOptions withRelay(Executor value) {
        return new CombinerOptions(
                lanes, lanesCalledBack, mostTogether, mostWaiting, longestWait, value, drivers, leastBeside, spinWait);
    }

    public CombinerOptions withDrivers(@Nullable Executor value) {
        return new CombinerOptions(
                lanes, lanesCalledBack, mostTogether, mostWaiting, longestWait, relay, value, leastBeside, spinWait);
    }

    public CombinerOptions withLeastBeside(int value) {
        return new CombinerOptions(
                lanes, lanesCalledBack, mostTogether, mostWaiting, longestWait, relay, drivers, value, spinWait);
    }

    public CombinerOptions withSpinWait(@Nullable SpinWait value) {
        return new CombinerOptions(
                lanes, lanesCalledBack, mostTogether, mostWaiting, longestWait, relay, drivers, leastBeside, value);
    }

    private static void atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, not " + value);
        }
    }
}

package dev.weir.remote;

import dev.weir.DurationText;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link Batcher}. Immutable.
 *
 * @param maxInFlight how many calls are in flight at most
 * @param maxInFlightCalledBack how many calls are in flight at most while all callers use callbacks and {@code minConcurrentBatch}
 *     is above zero, at least {@code maxInFlight}
 * @param maxBatch the largest batch, as the sum of the weights of its requests
 * @param mostWaiting how many requests may be queued; further ones are rejected at once
 * @param longestWait a request that was queued for longer is rejected instead of sent, because its caller has given up
 * @param relay the executor that continues to send batches when a caller's own request is complete, for calls that are
 *     complete when they return. A call that completes later is followed by the next in the thread that completed it
 * @param executor the executor whose threads send batches, for calls that block; at least as many threads as {@code
 *     maxInFlight}. They collect a batch only when they send it, and yield first to the callers that were just completed.
 *     Null to send in the caller's thread
 * @param minConcurrentBatch how many distinct requests justify a batch while another is in flight; fewer are sent when that
 *     one has completed. Such batches share the queue evenly, so that the backend works on one while the results of the
 *     other are delivered. 0 to send the whole queue whenever fewer than {@code maxInFlight} calls are in flight
 * @param spinWait how threads wait for a result; null for {@link SpinWait#yielding}
 */
public record BatcherOptions(
        int maxInFlight,
        int maxInFlightCalledBack,
        int maxBatch,
        int mostWaiting,
        Duration longestWait,
        Executor relay,
        @Nullable Executor executor,
        int minConcurrentBatch,
        @Nullable SpinWait spinWait) {

    private static final BatcherOptions DEFAULTS =
            new BatcherOptions(1, 1, 512, 65_536, Duration.ofSeconds(1), Runnable::run, null, 0, null);

    public BatcherOptions {
        atLeastOne("maxInFlight", maxInFlight);
        if (maxInFlightCalledBack < maxInFlight) {
            throw new IllegalArgumentException("maxInFlightCalledBack is " + maxInFlightCalledBack
                    + "; it must be at least maxInFlight, " + maxInFlight);
        }
        atLeastOne("maxBatch", maxBatch);
        atLeastOne("mostWaiting", mostWaiting);
        if (minConcurrentBatch < 0) {
            throw new IllegalArgumentException(
                    "minConcurrentBatch is " + minConcurrentBatch + "; it must be at least 0");
        }
        if (longestWait.isNegative() || longestWait.isZero()) {
            throw new IllegalArgumentException(
                    "longestWait is " + DurationText.of(longestWait) + "; it must be positive");
        }
    }

    /**
     * One call in flight, batches of up to 512, 65,536 queued requests for a second at most, and no threads besides
     * those of the callers and the backend.
     */
    public static BatcherOptions defaults() {
        return DEFAULTS;
    }

    public BatcherOptions withMaxInFlight(int value) {
        return withMaxInFlight(value, value);
    }

    public BatcherOptions withMaxInFlight(int value, int calledBack) {
        return new BatcherOptions(
                value, calledBack, maxBatch, mostWaiting, longestWait, relay, executor, minConcurrentBatch, spinWait);
    }

    public BatcherOptions withMaxBatch(int value) {
        return new BatcherOptions(
                maxInFlight,
                maxInFlightCalledBack,
                value,
                mostWaiting,
                longestWait,
                relay,
                executor,
                minConcurrentBatch,
                spinWait);
    }

    public BatcherOptions withMostWaiting(int value) {
        return new BatcherOptions(
                maxInFlight,
                maxInFlightCalledBack,
                maxBatch,
                value,
                longestWait,
                relay,
                executor,
                minConcurrentBatch,
                spinWait);
    }

    public BatcherOptions withLongestWait(Duration value) {
        return new BatcherOptions(
                maxInFlight,
                maxInFlightCalledBack,
                maxBatch,
                mostWaiting,
                value,
                relay,
                executor,
                minConcurrentBatch,
                spinWait);
    }

    public BatcherOptions withRelay(Executor value) {
        return new BatcherOptions(
                maxInFlight,
                maxInFlightCalledBack,
                maxBatch,
                mostWaiting,
                longestWait,
                value,
                executor,
                minConcurrentBatch,
                spinWait);
    }

    public BatcherOptions withExecutor(@Nullable Executor value) {
        return new BatcherOptions(
                maxInFlight,
                maxInFlightCalledBack,
                maxBatch,
                mostWaiting,
                longestWait,
                relay,
                value,
                minConcurrentBatch,
                spinWait);
    }

    public BatcherOptions withMinConcurrentBatch(int value) {
        return new BatcherOptions(
                maxInFlight,
                maxInFlightCalledBack,
                maxBatch,
                mostWaiting,
                longestWait,
                relay,
                executor,
                value,
                spinWait);
    }

    public BatcherOptions withSpinWait(@Nullable SpinWait value) {
        return new BatcherOptions(
                maxInFlight,
                maxInFlightCalledBack,
                maxBatch,
                mostWaiting,
                longestWait,
                relay,
                executor,
                minConcurrentBatch,
                value);
    }

    private static void atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be at least 1");
        }
    }
}

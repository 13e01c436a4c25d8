package dev.weir.remote;

import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How much a {@link Combiner} carries.
 *
 * @param lanes how many calls are in flight at most
 * @param lanesCalledBack how many calls are in flight at most while all callers use callbacks and {@code leastBeside} is above
 *     zero, at least {@code lanes}
 * @param mostTogether a trip is full once its questions weigh this much together
 * @param mostWaiting how many questions wait at most; more are turned away at once
 * @param longestWait a question that has waited for longer is turned away instead of asked, as nobody hears the answer
 * @param relay where trips go on when the thread that made one has its own answer, for trips that are over when they
 *     return; a trip that ends later is followed by the next in the thread in which it ended
 * @param drivers threads for trips that block, at least as many as lanes: they take the questions along only when they
 *     leave, and let those who were just answered ask again before they do; null to leave in the thread that asks
 * @param leastBeside with how many different questions a trip is worth making while another is under way, which otherwise
 *     takes them along when it is back; such trips share what there is evenly, so that the backend works on one while the
 *     answers of the other are given. 0 to leave whenever a lane is free, with all that waits
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

    /** One lane, 512 together, 65,536 waiting for a second at most, all in the threads that ask and answer. */
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

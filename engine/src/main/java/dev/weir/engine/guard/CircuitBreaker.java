package dev.weir.engine.guard;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker: fails calls at once while a store keeps failing, and lets a trial call through from time to time.
 *
 * <p>While closed, it lets every call through. After a number of consecutive failures it opens: calls fail at once.
 * After the pause one trial call is let through; if it succeeds the breaker closes, else it stays open for another
 * pause. Safe for use by any number of threads. While the store works, a call costs one volatile read.
 */
public final class CircuitBreaker {
    private static final State HEALTHY = new State(0, false, 0, 0, false, null);

    private final int tolerance;
    private final long pauseNanos;
    private final LongSupplier clock;
    private final Listener listener;
    private final AtomicReference<State> state = new AtomicReference<>(HEALTHY);

    /** Called when the breaker opens and closes. */
    public interface Listener {
        /** A call failed, whether the breaker is open or closed, and whether or not the failure affects other calls. */
        default void failed(String cause) {}

        /** The breaker opened. */
        void opened(String cause);

        /** The breaker closed after it had been open for this long. */
        void closed(Duration open);
    }

    /**
     * @param failures consecutive failures
     * @param openedAt when the breaker opened, in nanoseconds
     * @param triesAt when the next trial call is let through, in nanoseconds
     * @param trying whether a trial call is in flight
     * @param refusal the exception of calls while the breaker is open; created once, since failing under load must be
     *     cheap
     */
    private record State(
            int failures,
            boolean open,
            long openedAt,
            long triesAt,
            boolean trying,
            @Nullable StoreException refusal) {
        boolean isHealthy() {
            return failures == 0 && !open;
        }
    }

    /**
     * Creates a breaker that is closed.
     *
     * @param tolerance the number of consecutive failures that opens it, at least 1
     * @param pause how long it stays open before the next trial call
     * @param clock nanoseconds, as {@link System#nanoTime()}
     */
    public CircuitBreaker(int tolerance, Duration pause, LongSupplier clock, Listener listener) {
        if (tolerance < 1) {
            throw new IllegalArgumentException("tolerance is " + tolerance + "; it must be at least 1");
        }
        this.tolerance = tolerance;
        this.pauseNanos = pause.toNanos();
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Returns null if a call may proceed, which must then record its result; else the exception that the call fails
     * with.
     */
    @Nullable
    StoreException refusal() {
        while (true) {
            State present = state.get();
            if (!present.open) {
                return null;
            }
            if (present.trying || clock.getAsLong() - present.triesAt < 0) {
                return present.refusal;
            }
            State trying = new State(present.failures, true, present.openedAt, present.triesAt, true, present.refusal);
            if (state.compareAndSet(present, trying)) {
                return null;
            }
        }
    }

    /** Records that a call succeeded. */
    void succeeded() {
        State present = state.get();
        if (!present.isHealthy()) {
            recover(present);
        }
    }

    /** Records that a call failed. */
    void failed(String cause) {
        listener.failed(cause);
        long now = clock.getAsLong();
        while (true) {
            State present = state.get();
            // The failure of a call that began before the breaker opened is no news; the trial call decides.
            boolean opens = present.open || present.failures + 1 >= tolerance;
            State next = opens
                    ? new State(
                            present.failures,
                            true,
                            present.open ? present.openedAt : now,
                            now + pauseNanos,
                            false,
                            new StoreException("the store does not answer: " + cause, true, null))
                    : new State(present.failures + 1, false, 0, 0, false, null);
            if (state.compareAndSet(present, next)) {
                if (opens && !present.open) {
                    listener.opened(cause);
                }
                return;
            }
        }
    }

    /** Records that the store answered but cannot do what this call requests. The store works for other calls. */
    void unanswered(String cause) {
        listener.failed(cause);
        succeeded();
    }

    /** Records that a call ended for a reason that does not concern the store. */
    void abandoned() {
        state.updateAndGet(present -> present.trying
                ? new State(present.failures, true, present.openedAt, present.triesAt, false, present.refusal)
                : present);
    }

    /** Whether calls fail at once. */
    public boolean isOpen() {
        return state.get().open;
    }

    private void recover(State seen) {
        State present = seen;
        while (!present.isHealthy() && !state.compareAndSet(present, HEALTHY)) {
            present = state.get();
        }
        if (present.open) {
            listener.closed(Duration.ofNanos(Math.max(0, clock.getAsLong() - present.openedAt)));
        }
    }
}

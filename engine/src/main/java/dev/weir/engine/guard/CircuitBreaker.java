package dev.weir.engine.guard;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stops asking a store that keeps failing, so that nobody waits for it, and asks again now and then until it answers.
 *
 * <p>Closed, it lets every call pass. After some failures in a row it opens: calls fail at once. When the pause has
 * passed, one call may try; if it succeeds the breaker closes, else it stays open for another pause. Safe for use by
 * any number of threads; while all is well it costs one read.
 */
public final class CircuitBreaker {
    private static final State WELL = new State(0, false, 0, 0, false, null);

    private final int tolerance;
    private final long pauseNanos;
    private final LongSupplier clock;
    private final Listener listener;
    private final AtomicReference<State> state = new AtomicReference<>(WELL);

    /** Hears when the store is given up, and when it is back. */
    public interface Listener {
        /** A call failed, whether the breaker is open or not, and whether it concerns other calls or not. */
        default void failed(String cause) {}

        /** The breaker opened. */
        void opened(String cause);

        /** It closed again after this long. */
        void closed(Duration open);
    }

    /**
     * @param failures failures in a row
     * @param openedAt when it opened, in nanoseconds
     * @param triesAt when the next call may try
     * @param trying whether one is trying
     * @param refusal what calls fail with while it is open; made once, since a failure under load must be cheap
     */
    private record State(
            int failures,
            boolean open,
            long openedAt,
            long triesAt,
            boolean trying,
            @Nullable StoreException refusal) {
        boolean isWell() {
            return failures == 0 && !open;
        }
    }

    /**
     * A breaker that is closed.
     *
     * @param tolerance after how many failures in a row it opens, at least 1
     * @param pause how long it stays open before the next call may try
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

    /** Null if a call may go on, which must then say how it went; else what it fails with. */
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

    /** A call got its answer. */
    void succeeded() {
        State present = state.get();
        if (!present.isWell()) {
            recover(present);
        }
    }

    /** A call got none. */
    void failed(String cause) {
        listener.failed(cause);
        long now = clock.getAsLong();
        while (true) {
            State present = state.get();
            // What was begun before it opened says nothing new; the one that tries decides.
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

    /** The store answered that it cannot do what this call asks, which says that it is there for other calls. */
    void unanswered(String cause) {
        listener.failed(cause);
        succeeded();
    }

    /** A call came to nothing for a reason that says nothing about the store. */
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
        while (!present.isWell() && !state.compareAndSet(present, WELL)) {
            present = state.get();
        }
        if (present.open) {
            listener.closed(Duration.ofNanos(Math.max(0, clock.getAsLong() - present.openedAt)));
        }
    }
}

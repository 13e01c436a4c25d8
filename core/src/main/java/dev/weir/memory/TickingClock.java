package dev.weir.memory;

import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock that a thread publishes about every millisecond, so that reading it costs next to nothing.
 *
 * <p>It lags by up to one tick, or for as long as that thread is delayed, and so sees fewer tokens than there are.
 * Therefore a refusal is always checked again with the precise time. Spending is dated up to one tick early, and so
 * refills up to one tick early: over any stretch of time at most {@code rate × tick} more is admitted than with the
 * precise clock.
 */
final class TickingClock extends StoreClock.Precise {
    static final long TICK = TimeUnit.MILLISECONDS.toNanos(1);

    private volatile long published = precise();
    private volatile boolean closed;

    static TickingClock start() {
        TickingClock clock = new TickingClock();
        Thread ticker = new Thread(new Ticker(new WeakReference<>(clock)), "weir-ticking-clock");
        ticker.setDaemon(true);
        ticker.start();
        return clock;
    }

    @Override
    long now() {
        return published;
    }

    @Override
    boolean lags() {
        return true;
    }

    @Override
    void close() {
        closed = true;
    }

    /** Publishes the time until the clock is closed or garbage collected. */
    private record Ticker(WeakReference<TickingClock> target) implements Runnable {
        @Override
        public void run() {
            while (tick()) {
                LockSupport.parkNanos(TICK);
            }
        }

        private boolean tick() {
            TickingClock clock = target.get();
            if (clock == null || clock.closed) {
                return false;
            }
            clock.published = clock.precise();
            return true;
        }
    }
}

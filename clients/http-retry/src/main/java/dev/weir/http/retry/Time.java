package dev.weir.http.retry;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Clocks and timers. */
interface Time {
    /** Returns a monotonic time in nanoseconds. */
    long nanos();

    /** Returns the wall-clock time in milliseconds since the epoch. */
    long epochMillis();

    /** Returns a future that completes after the delay, never earlier. */
    CompletableFuture<Void> after(Duration delay);

    /** The clocks and timers of the JDK. */
    Time REAL = new Time() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long epochMillis() {
            return System.currentTimeMillis();
        }

        @Override
        public CompletableFuture<Void> after(Duration delay) {
            return CompletableFuture.runAsync(
                    () -> {}, CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS));
        }
    };
}

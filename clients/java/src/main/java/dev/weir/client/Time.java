package dev.weir.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Clocks, and waiting. */
interface Time {
    /** A clock that only goes forward. */
    long nanos();

    /** The time of day. */
    long epochMillis();

    /** Complete when so much time has passed, never earlier. */
    CompletableFuture<Void> after(Duration delay);

    /** The JDK's. */
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

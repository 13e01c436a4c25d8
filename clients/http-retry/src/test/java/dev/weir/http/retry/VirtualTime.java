package dev.weir.http.retry;

import dev.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A clock that advances as soon as a caller waits. */
final class VirtualTime implements Time {
    final FakeClock clock = new FakeClock();
    final List<Duration> waits = new CopyOnWriteArrayList<>();
    /** Waits that the test ends itself, once {@link #isHeld}. */
    final List<CompletableFuture<Void>> held = new CopyOnWriteArrayList<>();

    volatile boolean isHeld;

    @Override
    public long nanos() {
        return clock.nanos();
    }

    @Override
    public long epochMillis() {
        return clock.epochMillis();
    }

    @Override
    public CompletableFuture<Void> after(Duration delay) {
        waits.add(delay);
        if (isHeld) {
            CompletableFuture<Void> waiting = new CompletableFuture<>();
            held.add(waiting);
            return waiting;
        }
        clock.advance(delay);
        return CompletableFuture.runAsync(() -> {});
    }
}

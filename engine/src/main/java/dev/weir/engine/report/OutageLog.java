package dev.weir.engine.report;

import dev.weir.DurationText;
import dev.weir.engine.Weir;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventBus;
import dev.weir.engine.guard.CircuitBreaker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Publishes and logs when the store stops answering, and when it answers again.
 *
 * <p>The log line counts all requests that were refused or allowed for that reason. It is written at most once a
 * second, so that an outage under load does not flood the log.
 */
public final class OutageLog implements CircuitBreaker.Listener {
    private static final Logger LOG = System.getLogger(Weir.class.getName());
    private static final long INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();

    private final EventBus bus;
    private final InstantSource clock;
    private final LongAdder denied = new LongAdder();
    private final LongAdder allowed = new LongAdder();
    private final LongAdder full = new LongAdder();
    private final AtomicLong nextLine = new AtomicLong(System.nanoTime());
    private final AtomicLong nextFullLine = new AtomicLong(System.nanoTime());
    /** The cause of the latest failed call. */
    private volatile String latest = "";

    public OutageLog(EventBus bus, InstantSource clock) {
        this.bus = bus;
        this.clock = clock;
    }

    @Override
    public void failed(String cause) {
        latest = cause;
    }

    @Override
    public void opened(String cause) {
        LOG.log(Level.ERROR, "the circuit breaker is open; calls fail until the store answers again: " + cause);
        bus.publish(new Event.StoreUnavailable(clock.instant(), cause));
    }

    @Override
    public void closed(Duration open) {
        LOG.log(Level.INFO, "the store answers again after " + DurationText.of(open) + "; meanwhile " + numbers());
        bus.publish(new Event.StoreRecovered(clock.instant(), open));
    }

    /** Counts a request that was decided without the store. */
    public void note(boolean wasAllowed) {
        (wasAllowed ? allowed : denied).increment();
        if (isTimeFor(nextLine)) {
            LOG.log(Level.WARNING, "Rate limiter temporarily unavailable: " + numbers() + " (" + latest + ")");
        }
    }

    /** Notes that a reservation was refused because there is no room for it; the store answers. */
    public void noteFull(String cause) {
        full.increment();
        if (isTimeFor(nextFullLine)) {
            LOG.log(Level.WARNING, full.sumThenReset() + " reservations were refused: " + cause);
        }
    }

    /** Whether a line may be written; if so, the next one may follow a second later. */
    private static boolean isTimeFor(AtomicLong next) {
        long now = System.nanoTime();
        long due = next.get();
        return now - due >= 0 && next.compareAndSet(due, now + INTERVAL_NANOS);
    }

    private String numbers() {
        return denied.sumThenReset() + " requests were denied and " + allowed.sumThenReset()
                + " allowed without the store";
    }
}

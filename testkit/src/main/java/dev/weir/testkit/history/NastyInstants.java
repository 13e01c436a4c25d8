package dev.weir.testkit.history;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import dev.weir.testkit.history.HistorySubject.ObservedDecision;
import dev.weir.testkit.model.Timing;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Chooses when the next step happens: at an edge, a tick beside it, at once, or anywhere. */
final class NastyInstants {
    /** How much time may pass in a history; the clocks of some stores have a last instant. */
    private static final long HORIZON = Duration.ofDays(45 * 365).toNanos();

    /** The ttls of reservations and leases. */
    static final List<Duration> TTLS = List.of(
            Duration.ofMillis(1),
            Duration.ofMillis(20),
            Duration.ofSeconds(1),
            Duration.ofMinutes(10),
            Duration.ofHours(30),
            Duration.ofDays(7));

    private final SplittableRandom random;
    private final Timing timing;
    private final ModelSubject model;
    private ObservedDecision last = new ObservedDecision(false, List.of());

    NastyInstants(SplittableRandom random, Timing timing, ModelSubject model) {
        this.random = random;
        this.timing = timing;
        this.model = model;
    }

    void remember(Object seen) {
        if (seen instanceof ObservedDecision decision) {
            last = decision;
        }
    }

    /** The remaining units of a key's budget. */
    long remaining(Key key, Policy policy) {
        Charge one = new Charge(key, policy, 1);
        return model.model().peek(List.of(one), model.now()).readings().get(0).remaining();
    }

    /** Returns how long to wait; never beyond the horizon. */
    Duration wait(Policy policy) {
        long tick = timing.resolutions().apply(policy).nanosPerTick();
        long nanos = switch (random.nextInt(12)) {
            case 0, 1 -> tick;
            case 2, 3 -> 1 + random.nextLong(1 + (period(policy) >>> random.nextInt(8)));
            case 4 -> period(policy) + besides(tick);
            case 5 -> random.nextInt(4) == 0 ? random.nextLong(HORIZON) >>> random.nextInt(20) : tick;
            case 6 -> TTLS.get(random.nextInt(TTLS.size())).toNanos() + besides(tick);
            default -> edge() + besides(tick);
        };
        long quantum = timing.resolution().nanosPerTick();
        long left = HORIZON - (model.now().nanos() - timing.start().nanos());
        return Duration.ofNanos(Math.max(0, Math.min(nanos, left)) / quantum * quantum);
    }

    Duration wallStep() {
        long millis = 1L << random.nextInt(32);
        return Duration.ofMillis(random.nextBoolean() ? millis : -millis);
    }

    /** One of the times in the last decision's readings. */
    private long edge() {
        if (last.readings().isEmpty()) {
            return 0;
        }
        Reading reading = last.readings().get(random.nextInt(last.readings().size()));
        Duration edge = reading instanceof Reading.Refused refused && random.nextInt(3) > 0
                ? refused.retryAfter()
                : reading.resetAfter();
        return edge.compareTo(Duration.ofNanos(HORIZON)) > 0 ? 0 : edge.toNanos();
    }

    private long besides(long tick) {
        return switch (random.nextInt(4)) {
            case 0 -> -tick;
            case 1 -> tick;
            case 2 -> -1;
            default -> 0;
        };
    }

    private static long period(Policy policy) {
        Duration period = Duration.ofSeconds(1);
        if (policy instanceof TokenBucket bucket) {
            period = bucket.period();
        } else if (policy instanceof FixedWindow window) {
            period = window.period();
        } else if (policy instanceof SlidingWindow window) {
            period = window.period();
        } else if (policy instanceof CalendarWindow window) {
            period = window.unit().getDuration();
        }
        return Math.min(HORIZON, period.toNanos());
    }
}

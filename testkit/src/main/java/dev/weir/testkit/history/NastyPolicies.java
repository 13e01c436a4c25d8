package dev.weir.testkit.history;

import dev.weir.CalendarWindow;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** Generates policies with error-prone numbers: tiny, huge, prime, and next to a boundary. */
public final class NastyPolicies {
    private static final long[] COUNTS = {
        1,
        2,
        3,
        5,
        7,
        10,
        60,
        97,
        100,
        499,
        500,
        501,
        1_000,
        999_983,
        1_000_000,
        (1L << 31) - 1,
        1_000_000_007L,
        1_000_000_000_000L,
        1_000_000_000_039L,
        Policy.MAX_COUNT - 1,
        Policy.MAX_COUNT
    };
    private static final long[] SMALL_COUNTS = {1, 2, 3, 5, 7, 10, 11, 60, 97, 100};
    private static final Duration[] PERIODS = {
        Duration.ofMillis(1),
        Duration.ofMillis(7),
        Duration.ofMillis(100),
        Duration.ofMillis(1_001),
        Duration.ofSeconds(1),
        Duration.ofSeconds(3),
        Duration.ofSeconds(59),
        Duration.ofMinutes(1),
        Duration.ofMinutes(7),
        Duration.ofHours(1),
        Duration.ofDays(1),
        Duration.ofDays(7),
        Duration.ofDays(30),
        Duration.ofDays(365),
        Duration.ofDays(36_525),
        Duration.ofNanos(1_000_001),
        Duration.ofNanos(999_999_999),
    };
    private static final List<TokenBucket> AWKWARD_RATES = List.of(
            TokenBucket.perMinute(7),
            TokenBucket.perSecond(3),
            TokenBucket.of(999_983, 999_983, Duration.ofDays(1)),
            TokenBucket.of(10, 1, Duration.ofMillis(3)),
            TokenBucket.of(3, 7, Duration.ofMillis(11)),
            TokenBucket.of(1, 1, Duration.ofDays(36_525)),
            TokenBucket.of(1, Policy.MAX_COUNT, Duration.ofMillis(1)),
            TokenBucket.of(1_000_000_000_000L, 1_000_000_000_000L, Duration.ofSeconds(1)));
    private static final List<ChronoUnit> UNITS =
            List.of(ChronoUnit.MINUTES, ChronoUnit.HOURS, ChronoUnit.DAYS, ChronoUnit.WEEKS, ChronoUnit.MONTHS);
    /**
     * Zones with offsets of half and three quarters of an hour, changes of half an hour, changes at midnight, and the
     * extreme offsets.
     */
    private static final List<String> ZONES = List.of(
            "UTC",
            "Europe/Berlin",
            "America/New_York",
            "Asia/Kathmandu",
            "Australia/Lord_Howe",
            "America/Santiago",
            "America/Havana",
            "America/St_Johns",
            "Pacific/Kiritimati",
            "Pacific/Pago_Pago");

    private final SplittableRandom random;
    private final Predicate<Policy> held;

    /** Policies that {@code held} accepts, in an order that the random numbers determine. */
    public NastyPolicies(SplittableRandom random, Predicate<Policy> held) {
        this.random = random;
        this.held = held;
    }

    /** A policy of this kind. */
    public Policy next(PolicyKind kind) {
        while (true) {
            try {
                Policy policy = attempt(kind);
                if (held.test(policy)) {
                    return policy;
                }
            } catch (IllegalArgumentException e) {
                // The policy's constructor rejects numbers that cannot be represented exactly: draw others.
            }
        }
    }

    private Policy attempt(PolicyKind kind) {
        return switch (kind) {
            case TOKEN_BUCKET -> bucket();
            case FIXED_WINDOW -> FixedWindow.of(count(), period());
            case CALENDAR_WINDOW -> new CalendarWindow(count(), pick(UNITS), ZoneId.of(pick(ZONES)));
            case SLIDING_WINDOW -> SlidingWindow.of(count(), period());
            case STREAK -> new Streak(period());
            case CONCURRENCY -> Concurrency.of(count());
            case CLOSED -> Policy.closed();
        };
    }

    private Policy bucket() {
        TokenBucket bucket = random.nextInt(4) == 0 ? pick(AWKWARD_RATES) : TokenBucket.of(count(), count(), period());
        return random.nextInt(4) == 0 ? bucket.withInitial(random.nextLong(bucket.capacity() + 1)) : bucket;
    }

    private long count() {
        return switch (random.nextInt(4)) {
            case 0 -> COUNTS[random.nextInt(COUNTS.length)];
            case 1 -> 1 + (random.nextLong(Policy.MAX_COUNT) >>> random.nextInt(50));
            default -> SMALL_COUNTS[random.nextInt(SMALL_COUNTS.length)];
        };
    }

    private Duration period() {
        return random.nextInt(8) == 0
                ? Duration.ofMillis(1 + random.nextLong(1L << random.nextInt(1, 32)))
                : PERIODS[random.nextInt(PERIODS.length)];
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}

package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.KeyLimiter;
import dev.weir.Policy;
import dev.weir.RateLimiter;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import dev.weir.algorithm.PolicyModel;
import dev.weir.memory.MemoryStore;
import java.math.BigInteger;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sixty-four threads on one key of the memory store: never one admission over the bound, and none missing. */
@Tag("slow")
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MemoryStoreConcurrencyTest {
    private static final int THREADS = 64;
    private static final Duration DAY = Duration.ofDays(1);
    private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);

    private final MemoryStore store = MemoryStore.create();

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void bucket_tenMillionChecks_admitsExactlyItsCapacity() {
        assertAdmitsItsCapacity(TokenBucket.of(1_000_000, 1, Duration.ofDays(3_650)), 10_000_000);
    }

    @Test
    void windows_twoMillionChecks_admitExactlyTheirLimit() {
        assertAdmitsItsCapacity(FixedWindow.of(500_000, DAY), 2_000_000);
        assertAdmitsItsCapacity(new CalendarWindow(500_000, ChronoUnit.MONTHS, ZoneOffset.UTC), 2_000_000);
        assertAdmitsItsCapacity(FixedWindow.of(1_000_000_000_000L, DAY), 200_000);
    }

    @Test
    void slidingWindows_aMillionChecks_admitExactlyTheirLimit() {
        assertAdmitsItsCapacity(SlidingWindow.of(500, DAY), 200_000);
        assertAdmitsItsCapacity(SlidingWindow.of(200_000, DAY), 1_000_000);
    }

    @Test
    void bucket_refillingMeanwhile_admitsExactlyWhatComesBack() {
        assertAdmitsWhatComesBack(100 * 200_000, 200_000, 1);
        assertAdmitsWhatComesBack(100 * 199_999, 199_999, 1);
    }

    /** The numbers do not fit in one long, so the bucket is kept in a ledger. */
    @Test
    void hugeBucket_refillingMeanwhile_admitsExactlyWhatComesBack() {
        TokenBucket policy = TokenBucket.of(999_999_999_989L, 9_999_999_967L, Duration.ofSeconds(1));
        assertThat(PolicyModel.local(policy).packed()).isNull();
        assertAdmitsWhatComesBack(policy.capacity(), policy.refill(), 50_000);
    }

    /**
     * The admitted and the remaining units are exactly the refilled ones. The time around the run and the time inside
     * it bound that number. Only a stall of 100 seconds would fill the bucket and lose units.
     */
    private void assertAdmitsWhatComesBack(long capacity, long perSecond, long unit) {
        Policy policy = TokenBucket.of(capacity, perSecond, Duration.ofSeconds(1));
        // Times are whole ticks: n measured ticks may be one less, or one more.
        long tick = PolicyModel.local(policy).resolution().nanosPerTick();
        RateLimiter limiter = RateLimiter.on(store, "limit " + capacity, policy);
        BigInteger rate = BigInteger.valueOf(perSecond);
        long before = System.nanoTime();
        assertThat(limiter.tryConsume("hot", capacity)).isTrue();
        long start = System.nanoTime();
        long admitted = ParallelThreads.sum(THREADS, thread -> hammer(limiter, "hot", 2_000_000 / THREADS, unit));
        long end = System.nanoTime();
        long left = limiter.peek("hot").remaining();
        long after = System.nanoTime();
        assertThat(BigInteger.valueOf(admitted + left).multiply(SECOND))
                .isLessThanOrEqualTo(rate.multiply(BigInteger.valueOf(after - before + tick)))
                // The last fraction of a token is still accruing.
                .isGreaterThanOrEqualTo(
                        rate.multiply(BigInteger.valueOf(end - start - tick)).subtract(SECOND));
    }

    @Test
    void fixedWindow_turningMeanwhile_admitsAtMostItsLimitInEachWindow() {
        long limit = 1_000;
        Duration period = Duration.ofMillis(20);
        RateLimiter limiter = RateLimiter.on(store, "limit", FixedWindow.of(limit, period));
        long before = System.nanoTime();
        long admitted = ParallelThreads.sum(THREADS, thread -> hammer(limiter, "hot", 2_000_000 / THREADS, 1));
        long windows = (System.nanoTime() - before) / period.toNanos() + 1;
        assertThat(admitted).isLessThanOrEqualTo(windows * limit).isGreaterThanOrEqualTo(limit);
    }

    @Test
    void slidingWindow_slidingMeanwhile_neverHoldsMoreThanItsLimit() {
        assertNeverMoreInAnyWindow(SlidingWindow.of(300, Duration.ofMillis(10)));
        assertNeverMoreInAnyWindow(SlidingWindow.of(2_000, Duration.ofMillis(10)));
    }

    /** The times before and after the call of an admitted charge. */
    private record Span(long asked, long answered) {}

    /** Charges whose calls began and ended within less than one period are no more than the limit. */
    private void assertNeverMoreInAnyWindow(SlidingWindow policy) {
        List<Charge> charges = List.of(Charge.of(Key.of(policy.toString()), policy));
        ConcurrentLinkedQueue<Span> admitted = new ConcurrentLinkedQueue<>();
        ParallelThreads.run(THREADS, thread -> {
            for (int i = 0; i < 600_000 / THREADS; i++) {
                long asked = System.nanoTime();
                if (store.consume(charges).now().admitted()) {
                    admitted.add(new Span(asked, System.nanoTime()));
                }
            }
            return 0;
        });
        List<Span> spans =
                admitted.stream().sorted(Comparator.comparingLong(Span::asked)).toList();
        assertThat(spans).hasSizeGreaterThan((int) policy.limit());
        for (int i = 0; i < spans.size(); i++) {
            long end = spans.get(i).asked + policy.period().toNanos();
            int within = 0;
            for (int j = i; j < spans.size() && spans.get(j).asked < end; j++) {
                within += spans.get(j).answered < end ? 1 : 0;
            }
            assertThat((long) within).as("%s, from admission %s", policy, i).isLessThanOrEqualTo(policy.limit());
        }
    }

    private void assertAdmitsItsCapacity(Policy policy, int checks) {
        RateLimiter limiter = RateLimiter.on(store, policy.toString(), policy);
        Key key = Key.of(policy.toString(), "hot");
        KeyLimiter one = limiter.forKey("hot");
        long unit = Math.max(1, policy.capacity() / 1_000_000);
        List<Charge> charges = List.of(new Charge(key, policy, unit));
        long admitted = ParallelThreads.sum(THREADS, thread -> {
            long sum = 0;
            for (int i = 0; i < checks / THREADS; i++) {
                boolean spent = switch ((thread + i) & 7) {
                    case 0 -> store.consume(charges).now().admitted();
                    case 1, 2, 3 -> limiter.tryConsume("hot", unit);
                    default -> one.tryConsume(unit);
                };
                sum += spent ? unit : 0;
            }
            return sum;
        });
        long expected = Math.min(policy.capacity(), (long) (checks / THREADS) * THREADS * unit);
        assertThat(admitted).as("%s", policy).isEqualTo(expected);
        assertThat(limiter.peek("hot").remaining()).as("%s", policy).isEqualTo(policy.capacity() - expected);
    }

    /** Makes checks with costs of one unit and of three; returns the spent units. */
    private static long hammer(RateLimiter limiter, String key, int checks, long unit) {
        KeyLimiter one = limiter.forKey(key);
        long spent = 0;
        for (int i = 0; i < checks; i++) {
            long cost = (i & 3) == 0 ? 3 * unit : unit;
            if ((i & 1) == 0 ? limiter.tryConsume(key, cost) : one.tryConsume(cost)) {
                spent += cost;
            }
        }
        return spent;
    }
}

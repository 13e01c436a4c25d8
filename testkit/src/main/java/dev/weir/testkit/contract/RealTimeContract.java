package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import dev.weir.testkit.Ability;
import dev.weir.testkit.model.ModelDecision;
import dev.weir.testkit.model.ReferenceModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Laws for a store whose clock runs by itself, valid however slow or busy the machine is.
 *
 * <p>Time is measured around each call, so that a test's own delay never counts as the store's error.
 */
public abstract class RealTimeContract extends ContractPart {
    private static final Duration SHORT = Duration.ofMillis(150);

    @Test
    void consume_atWhateverMoment_answersAsTheModelDoesForThatMoment() {
        needs(Ability.EXACT_MOMENTS);
        ReferenceModel model = trial().timing().newModel();
        SplittableRandom random = new SplittableRandom(1);
        List<Policy> policies = policies(
                TokenBucket.of(5, 7, Duration.ofMillis(3)),
                TokenBucket.of(100, 999_983, Duration.ofSeconds(1)),
                FixedWindow.of(20, Duration.ofMillis(2)),
                SlidingWindow.of(30, Duration.ofMillis(2)),
                SlidingWindow.of(1_000, Duration.ofMillis(2)));
        for (int i = 0; i < 3_000 / contract().thinning(); i++) {
            List<Charge> charges = new ArrayList<>();
            for (Policy policy : policies) {
                if (random.nextInt(3) == 0 || charges.isEmpty()) {
                    charges.add(new Charge(key(policy), policy, 1 + random.nextLong(policy.capacity() / 3)));
                }
            }
            Decision decision = await(store().consume(charges));
            ModelDecision verdict = model.consume(charges, trial().momentOf(decision));
            assertThat(decision.readings()).as("step %s: %s", i, charges).isEqualTo(verdict.readings());
            assertThat(decision.admitted()).isEqualTo(verdict.admitted());
        }
    }

    @Test
    void bucket_polledForAWhile_admitsWhatTheTimeAllows() {
        long perSecond = 2_000;
        Policy policy = TokenBucket.of(50, perSecond, Duration.ofSeconds(1));
        long outside = System.nanoTime();
        consume(key("a"), policy, 50);
        long inside = System.nanoTime();
        long admitted = 0;
        while (System.nanoTime() - inside < SHORT.toNanos()) {
            admitted += consume(key("a"), policy, 1).admitted() ? 1 : 0;
        }
        long lastAsked = System.nanoTime();
        long left = remaining(key("a"), policy);
        long end = System.nanoTime();
        Duration late = clockMayBeLate();
        assertThat(admitted + left).isLessThanOrEqualTo((end - outside + late.toNanos()) * perSecond / 1_000_000_000);
        // The budget was full, and so lost units, only if the test itself stalled for longer than a refill takes.
        assertThat(admitted + left + 1)
                .isGreaterThanOrEqualTo(
                        Math.min(50, (lastAsked - inside - late.toNanos()) * perSecond / 1_000_000_000));
    }

    @Test
    void slidingWindow_inAnyStretchOfItsLength_admitsAtMostItsLimit() {
        assertApart(SlidingWindow.of(20, Duration.ofMillis(20)), 20, Duration.ofMillis(20));
        assertApart(SlidingWindow.of(600, Duration.ofMillis(20)), 600, Duration.ofMillis(20));
    }

    /** Two windows may be adjacent: any interval of the window's length admits at most two quotas. */
    @Test
    void fixedWindow_inAnyStretchOfItsLength_admitsAtMostTwoQuotas() {
        assertApart(FixedWindow.of(20, Duration.ofMillis(20)), 40, Duration.ofMillis(20));
    }

    @Test
    void refused_afterRetryAfter_fits() {
        for (Policy policy : policies(
                TokenBucket.of(3, 30, Duration.ofSeconds(1)),
                FixedWindow.of(3, Duration.ofMillis(50)),
                SlidingWindow.of(3, Duration.ofMillis(50)))) {
            for (int i = 0; i < 3; i++) {
                Decision decision = consume(key(policy), policy, 3);
                if (decision.reading(0) instanceof Reading.Refused refused) {
                    waitFor(refused.retryAfter());
                    assertThat(consume(key(policy), policy, 3).admitted())
                            .as("%s", policy)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void lease_notRenewed_endsByItselfAndNotBefore() {
        Policy slots = Concurrency.of(1);
        long before = System.nanoTime();
        await(store().acquire("a", List.of(Charge.of(key("s"), slots)), SHORT));
        while (remaining(key("s"), slots) == 0) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(SHORT.toNanos());
        assertThat(await(store().release("a"))).isFalse();
    }

    @Test
    void reservation_notSettled_expiresAndItsEstimateStands() {
        Policy policy = FixedWindow.of(100, DAY);
        await(store().reserve("r", List.of(new Charge(key("a"), policy, 30)), Duration.ofMillis(20)));
        waitFor(Duration.ofMillis(25));
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.UNKNOWN);
        assertThat(remaining(key("a"), policy)).isEqualTo(70);
    }

    /** Calls as fast as possible, and asserts that admissions this many apart are at least this much time apart. */
    private void assertApart(Policy policy, int admissions, Duration apart) {
        Key key = key(policy);
        List<Long> before = new ArrayList<>();
        List<Long> after = new ArrayList<>();
        long start = System.nanoTime();
        // A remote store may need longer for enough admissions.
        while (System.nanoTime() - start < SHORT.toNanos() || before.size() <= admissions) {
            long asked = System.nanoTime();
            if (consume(key, policy, 1).admitted()) {
                before.add(asked);
                after.add(System.nanoTime());
            }
        }
        assertThat(before).as("%s", policy).hasSizeGreaterThan(admissions);
        for (int i = 0; i + admissions < before.size(); i++) {
            assertThat(after.get(i + admissions) - before.get(i))
                    .as("%s, admission %s", policy, i)
                    .isGreaterThanOrEqualTo(apart.minus(clockMayBeLate()).toNanos());
        }
    }

    private Duration clockMayBeLate() {
        return contract().clockMayBeLate();
    }

    /** Waits in real time, because the store's clock runs in real time. */
    private static void waitFor(Duration time) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < time.toNanos()) {
            LockSupport.parkNanos(Math.max(1, time.toNanos() - (System.nanoTime() - start)));
        }
    }
}

package dev.weir.testkit.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Policy;
import dev.weir.TokenBucket;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.PackedMath;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.Resolution;
import dev.weir.testkit.history.NastyPolicies;
import dev.weir.testkit.history.PolicyKind;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compares core's arithmetic, packed and in ledgers, on every resolution, with the model: a hundred thousand histories.
 */
class PolicyModelPropertyTest {
    private static final int HISTORIES = 25_000;
    /** 2026-01-01 in milliseconds: calendars need a real date, and the others work with any. */
    private static final long START = 1_767_225_600_000L;

    @ParameterizedTest
    @EnumSource(names = {"TOKEN_BUCKET", "FIXED_WINDOW", "SLIDING_WINDOW", "CALENDAR_WINDOW", "STREAK"})
    void meter_inRandomHistories_answersAsTheModelDoes(PolicyKind kind) {
        for (long seed = 0; seed < HISTORIES; seed++) {
            live(seed, kind);
        }
    }

    @Test
    void meter_ofEveryKind_isAlsoSeenPacked() {
        SplittableRandom random = new SplittableRandom(1);
        NastyPolicies policies =
                new NastyPolicies(random, policy -> PolicyModel.local(policy).packed() != null);
        for (PolicyKind kind : List.of(PolicyKind.TOKEN_BUCKET, PolicyKind.FIXED_WINDOW, PolicyKind.CALENDAR_WINDOW)) {
            assertThat(PolicyModel.local(policies.next(kind)).packed()).isNotNull();
        }
    }

    /** A thread that read the clock long ago may be the next to write. */
    @Test
    void bucket_adjustedAtAnOldTime_isNotMovedBack() {
        PolicyModel policyModel = PolicyModel.local(TokenBucket.of(10, 10, Duration.ofMillis(1)));
        PackedMath math = Objects.requireNonNull(policyModel.packed());
        long now = policyModel.resolution().fromNanos(Duration.ofSeconds(20).toNanos());
        long old = policyModel.resolution().fromNanos(Duration.ofSeconds(10).toNanos());
        long empty = math.take(policyModel.openPacked(0), 10, now);
        assertThat(math.available(math.giveBack(empty, 1, old, old), now)).isEqualTo(1);
        assertThat(math.available(math.spend(empty, 1, old), now)).isLessThanOrEqualTo(0);
    }

    private static void live(long seed, PolicyKind kind) {
        SplittableRandom random = new SplittableRandom(seed);
        Policy policy = new NastyPolicies(random, any -> true).next(kind);
        PolicyModel policyModel = anyMeter(random, policy);
        long now = kind == PolicyKind.CALENDAR_WINDOW ? START : 1 + random.nextLong(1L << random.nextInt(1, 30));
        // Packed states reach fifty years from the clock's origin.
        long last = kind == PolicyKind.CALENDAR_WINDOW
                ? START + Duration.ofDays(49 * 365).toMillis()
                : policyModel.resolution().fromNanos(Duration.ofDays(49 * 365).toNanos());
        Trio trio = new Trio(policyModel, now);
        long spentAt = now;
        long spent = 0;
        for (int step = 0; step < 20; step++) {
            trio.compare(now, 1 + random.nextLong(policy.capacity()), seed, step);
            long cost = cost(random, policy, trio.model.available(now));
            switch (random.nextInt(8)) {
                case 0 -> trio.spend(cost, now);
                case 1, 2 -> {
                    if (spent > 0) {
                        trio.giveBack(spent, spentAt, now);
                        spent = 0;
                    }
                }
                case 3 -> trio.forget(now);
                default -> {
                    if (trio.take(cost, now, seed, step)) {
                        spentAt = now;
                        spent = cost;
                    }
                }
            }
            now = Math.min(now + wait(random, trio.model, now, cost), last);
        }
    }

    /** The resolution that a local store uses, or any other that can represent the policy. */
    private static PolicyModel anyMeter(SplittableRandom random, Policy policy) {
        if (random.nextInt(3) > 0) {
            return PolicyModel.local(policy);
        }
        Resolution[] resolutions = Resolution.values();
        try {
            return PolicyModel.at(resolutions[random.nextInt(resolutions.length)], policy);
        } catch (IllegalArgumentException e) {
            return PolicyModel.local(policy);
        }
    }

    private static long cost(SplittableRandom random, Policy policy, long available) {
        return switch (random.nextInt(8)) {
            case 0 -> policy.capacity();
            case 1 -> policy.capacity() + 1;
            case 2, 3 -> Math.max(1, available);
            case 4 -> Math.max(1, available + 1);
            case 5 -> random.nextInt(8) == 0 ? Long.MAX_VALUE >> random.nextInt(14) : 1;
            default -> 1 + random.nextLong(policy.capacity()) / (1 + random.nextInt(9));
        };
    }

    private static long wait(SplittableRandom random, Budget model, long now, long cost) {
        long reset = model.resetAfter(now);
        long retry = cost <= model.policy().capacity() && !model.fits(cost, now) ? model.retryAfter(cost, now) : reset;
        long wait = switch (random.nextInt(8)) {
            case 0, 1 -> 0;
            case 2 -> 1;
            case 3 -> retry - 1;
            case 4 -> retry;
            case 5 -> reset - 1;
            case 6 -> reset;
            default -> random.nextLong(1 + reset / 2);
        };
        return Math.max(0, wait);
    }

    /** Runs one history on the model, on the ledger, and on the packed state if the policy has one. */
    private static final class Trio {
        private final PolicyModel policyModel;
        private final long epoch;
        private final Ledger ledger;
        private final PackedMath packed;
        private final Budget model;
        private long state;

        Trio(PolicyModel policyModel, long epoch) {
            this.policyModel = policyModel;
            this.epoch = epoch;
            this.ledger = policyModel.open(epoch);
            this.packed = policyModel.packed();
            this.model = Budget.open(policyModel.policy(), policyModel.resolution(), epoch);
            this.state = packed == null ? 0 : policyModel.openPacked(epoch);
        }

        void compare(long now, long cost, long seed, int step) {
            String where =
                    policyModel.policy() + " on " + policyModel.resolution() + ", seed " + seed + ", step " + step;
            assertThat(ledger.available(now)).as(where).isEqualTo(model.available(now));
            assertThat(ledger.resetAfter(now)).as(where).isEqualTo(model.resetAfter(now));
            boolean waits = !model.fits(cost, now);
            if (waits) {
                assertThat(ledger.retryAfter(cost, now)).as(where).isEqualTo(model.retryAfter(cost, now));
            }
            if (packed != null) {
                assertThat(state).as(where).isPositive().isLessThanOrEqualTo(PackedMath.MAX_STATE);
                assertThat(packed.available(state, now)).as(where).isEqualTo(model.available(now));
                assertThat(packed.resetAfter(state, now)).as(where).isEqualTo(model.resetAfter(now));
                if (waits) {
                    assertThat(packed.retryAfter(state, cost, now)).as(where).isEqualTo(model.retryAfter(cost, now));
                }
            }
        }

        boolean take(long cost, long now, long seed, int step) {
            boolean fits = model.fits(cost, now);
            if (packed != null) {
                long next = packed.take(state, cost, now);
                assertThat(next != PackedMath.REFUSED)
                        .as("%s, cost %s, seed %s, step %s", policyModel.policy(), cost, seed, step)
                        .isEqualTo(fits);
                state = fits ? next : state;
            }
            if (fits) {
                model.spend(cost, now);
                ledger.spend(cost, now);
            }
            return fits;
        }

        void spend(long cost, long now) {
            model.spend(cost, now);
            ledger.spend(cost, now);
            state = packed == null ? 0 : packed.spend(state, cost, now);
        }

        void giveBack(long cost, long spentAt, long now) {
            model.giveBack(cost, spentAt, now);
            ledger.giveBack(cost, spentAt, now);
            state = packed == null ? 0 : packed.giveBack(state, cost, spentAt, now);
        }

        /** A full budget carries no information. */
        void forget(long now) {
            if (packed != null && packed.resetAfter(state, now) == 0) {
                state = policyModel.openPacked(epoch);
            }
        }
    }
}

package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import dev.weir.testkit.history.MemoryUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/** Laws that hold for any charges at any times, stated without the model. */
class LawsPropertyTest {
    private static final Key KEY = Key.of("law");

    /** A charge after a wait. */
    record Asked(long waitMicros, long cost) {}

    @Provide
    Arbitrary<Asked> asked() {
        return Combinators.combine(
                        Arbitraries.longs().between(0, 400_000),
                        Arbitraries.longs().between(1, 12))
                .as(Asked::new);
    }

    /** No half-open interval of the window's length ever holds more than the limit. */
    @Property(tries = 500)
    void slidingWindow_inAnyStretch_holdsAtMostItsLimit(
            @ForAll @IntRange(min = 12, max = 1_000) int limit,
            @ForAll @Size(min = 1, max = 60) List<@From("asked") Asked> history) {
        Duration period = Duration.ofSeconds(1);
        List<Spent> spent = play(SlidingWindow.of(limit, period), history);
        for (Spent last : spent) {
            long sum = spent.stream()
                    .filter(each -> each.micros <= last.micros && last.micros - each.micros < 1_000_000)
                    .mapToLong(Spent::cost)
                    .sum();
            assertThat(sum).isLessThanOrEqualTo(limit);
        }
    }

    /** In any interval, a bucket gives at most its capacity and the refill of that time. */
    @Property(tries = 500)
    void bucket_inAnyStretch_givesAtMostItsCapacityAndTheRate(
            @ForAll @IntRange(min = 12, max = 50) int capacity,
            @ForAll @IntRange(min = 1, max = 97) int refill,
            @ForAll @Size(min = 1, max = 60) List<@From("asked") Asked> history) {
        List<Spent> spent = play(TokenBucket.of(capacity, refill, Duration.ofSeconds(1)), history);
        for (int i = 0; i < spent.size(); i++) {
            long sum = 0;
            for (int j = i; j < spent.size(); j++) {
                sum += spent.get(j).cost;
                long elapsed = spent.get(j).micros - spent.get(i).micros;
                assertThat((sum - capacity) * 1_000_000).isLessThanOrEqualTo(elapsed * refill);
            }
        }
    }

    /** However often it is polled, refilled units can be spent as soon as they are there: none is lost. */
    @Property(tries = 300)
    void bucket_polledAtAnyInstants_neverStarves(
            @ForAll @IntRange(min = 1, max = 1_009) int refill,
            @ForAll @Size(min = 1, max = 300) List<@LongRange(min = 0, max = 900) Long> waitsMicros) {
        Policy policy = TokenBucket.of(1_000_000, refill, Duration.ofMillis(7));
        try (MemoryUnderTest trial = new MemoryUnderTest()) {
            consume(trial, policy, 1_000_000);
            long elapsed = 0;
            long admitted = 0;
            for (long wait : waitsMicros) {
                trial.advance(Duration.ofNanos(wait * 1_000));
                elapsed += wait;
                while (consume(trial, policy, 1).admitted()) {
                    admitted++;
                }
                assertThat(admitted).isEqualTo(elapsed * refill / 7_000);
            }
        }
    }

    /** A window is renewed as a whole: any interval shorter than its length has at most two quotas. */
    @Property(tries = 300)
    void fixedWindow_inAnyStretch_givesAtMostTwoQuotas(
            @ForAll @IntRange(min = 12, max = 40) int limit,
            @ForAll @Size(min = 1, max = 60) List<@From("asked") Asked> history) {
        List<Spent> spent = play(FixedWindow.of(limit, Duration.ofSeconds(1)), history);
        for (Spent last : spent) {
            long sum = spent.stream()
                    .filter(each -> each.micros <= last.micros && last.micros - each.micros < 1_000_000)
                    .mapToLong(Spent::cost)
                    .sum();
            assertThat(sum).isLessThanOrEqualTo(2L * limit);
        }
    }

    @Property(tries = 300)
    void cost_splitInAnyParts_leavesWhatTheWholeLeaves(
            @ForAll @Size(min = 1, max = 8) List<@IntRange(min = 1, max = 100) Integer> parts,
            @ForAll @IntRange(min = 0, max = 2) int kind) {
        Duration minute = Duration.ofMinutes(1);
        Policy policy = kind == 0
                ? TokenBucket.of(1_000, 7, minute)
                : kind == 1 ? FixedWindow.of(1_000, minute) : SlidingWindow.of(1_000, minute);
        long whole = parts.stream().mapToLong(Integer::longValue).sum();
        try (MemoryUnderTest split = new MemoryUnderTest();
                MemoryUnderTest once = new MemoryUnderTest()) {
            parts.forEach(part -> consume(split, policy, part));
            consume(once, policy, whole);
            assertThat(peek(split, policy).readings())
                    .isEqualTo(peek(once, policy).readings());
        }
    }

    @Property(tries = 300)
    void refunds_inAnyOrder_neverLiftAboveTheCapacity(
            @ForAll @Size(min = 1, max = 30) List<@From("asked") Asked> history,
            @ForAll @IntRange(min = 0, max = 2) int kind) {
        Duration second = Duration.ofSeconds(1);
        Policy policy = kind == 0
                ? TokenBucket.of(20, 7, second)
                : kind == 1 ? FixedWindow.of(20, second) : SlidingWindow.of(20, second);
        try (MemoryUnderTest trial = new MemoryUnderTest()) {
            List<Decision> open = new ArrayList<>();
            for (Asked asked : history) {
                trial.advance(Duration.ofNanos(asked.waitMicros * 1_000));
                open.add(consume(trial, policy, asked.cost));
                if (asked.cost % 2 == 0) {
                    trial.store().refund(open.remove(open.size() / 2));
                }
                assertThat(peek(trial, policy).reading(0).remaining()).isBetween(0L, 20L);
            }
            open.forEach(decision -> trial.store().refund(decision));
            assertThat(peek(trial, policy).reading(0).remaining()).isBetween(0L, 20L);
        }
    }

    /** An admitted charge and its time. */
    private record Spent(long micros, long cost) {}

    private static List<Spent> play(Policy policy, List<Asked> history) {
        try (MemoryUnderTest trial = new MemoryUnderTest()) {
            List<Spent> spent = new ArrayList<>();
            long now = 0;
            for (Asked asked : history) {
                trial.advance(Duration.ofNanos(asked.waitMicros * 1_000));
                now += asked.waitMicros;
                if (consume(trial, policy, asked.cost).admitted()) {
                    spent.add(new Spent(now, asked.cost));
                }
            }
            return spent;
        }
    }

    private static Decision consume(MemoryUnderTest trial, Policy policy, long cost) {
        return trial.store().consume(List.of(new Charge(KEY, policy, cost))).now();
    }

    private static Decision peek(MemoryUnderTest trial, Policy policy) {
        return trial.store().peek(List.of(Charge.of(KEY, policy))).now();
    }
}

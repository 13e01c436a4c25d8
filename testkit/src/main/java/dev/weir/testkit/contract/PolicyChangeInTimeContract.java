package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import dev.weir.testkit.Ability;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A changed policy as time passes: spent units come back at the right time under both policies. */
public abstract class PolicyChangeInTimeContract extends ContractPart {
    private static final Policy LARGE = FixedWindow.of(100, DAY);

    @Test
    void consume_underAnotherPolicy_roundsAFractionOfATokenAway() {
        Policy slow = TokenBucket.of(10, 1, MINUTE);
        Policy other = TokenBucket.of(20, 1, Duration.ofMinutes(2));
        consume(key("a"), slow, 5);
        advance(Duration.ofSeconds(90));
        assertThat(consume(key("a"), other, 1).reading(0)).isEqualTo(new Reading.Admitted(15, Duration.ofMinutes(10)));
    }

    /** Two nodes with different settings poll the same spent key. Neither may prevent its refill. */
    @Test
    void consume_polledInVainUnderTwoPoliciesByTurns_stillRefills() {
        for (Policy second :
                policies(TokenBucket.of(3, 3, MINUTE), FixedWindow.of(3, MINUTE), SlidingWindow.of(3, MINUTE))) {
            Policy first = TokenBucket.of(2, 2, MINUTE);
            Key key = key(second);
            consume(key, first, 2);
            for (int i = 0; i < 29; i++) {
                advance(Duration.ofSeconds(1));
                assertThat(consume(key, i % 2 == 0 ? first : second, 2).admitted())
                        .as("%s", second)
                        .isFalse();
            }
            advance(Duration.ofSeconds(1));
            assertAdmitted(consume(key, first, 1), 0);
        }
    }

    @Test
    void window_polledInVainUnderAnotherPolicy_stillEnds() {
        Policy first = FixedWindow.of(5, MINUTE);
        Policy second = FixedWindow.of(4, MINUTE);
        consume(key("a"), first, 5);
        for (int i = 0; i < 60; i++) {
            assertRefused(consume(key("a"), second, 1));
            advance(Duration.ofSeconds(1));
        }
        assertAdmitted(consume(key("a"), second, 4), 0);
    }

    /** Units spent in a window that has ended cannot be refunded, whatever the key's policy is by then. */
    @Test
    void refund_afterTheWindowEnded_givesNothingToAnotherPolicy() {
        Policy other = TokenBucket.of(10, 1, Duration.ofDays(3_650));
        for (Policy window : endingWithinAMinute()) {
            Key key = key(window);
            Decision early = consume(key, window, 1);
            advance(Duration.ofSeconds(20));
            Decision late = consume(key, window, 4);
            advance(Duration.ofSeconds(61));
            consume(key, other, 10);
            await(store().refund(early));
            await(store().refund(late));
            assertThat(remaining(key, other)).as("%s", window).isZero();
        }
    }

    @Test
    void settle_afterTheWindowEnded_givesNothingToAnotherPolicy() {
        Policy other = TokenBucket.of(10, 1, Duration.ofDays(3_650));
        for (Policy window : endingWithinAMinute()) {
            Key key = key(window);
            Duration hour = Duration.ofHours(1);
            await(store().reserve("settled" + window, List.of(new Charge(key, window, 4)), hour));
            await(store().reserve("cancelled" + window, List.of(new Charge(key, window, 5)), hour));
            advance(Duration.ofSeconds(61));
            consume(key, other, 10);
            assertThat(await(store().settle("settled" + window, Map.of("contract", 1L))))
                    .isEqualTo(Settlement.DONE);
            assertThat(await(store().cancel("cancelled" + window))).isEqualTo(Settlement.DONE);
            assertThat(remaining(key, other)).as("%s", window).isZero();
        }
    }

    /** A window ends for all units spent in it, including those spent late. */
    @Test
    void refund_afterAFixedWindowEnded_givesBackNothingThatWasSpentLate() {
        Policy window = FixedWindow.of(10, MINUTE);
        Policy other = TokenBucket.of(10, 1, Duration.ofDays(3_650));
        consume(key("a"), window, 1);
        advance(Duration.ofSeconds(50));
        Decision late = consume(key("a"), window, 5);
        advance(Duration.ofSeconds(10));
        consume(key("a"), other, 10);
        await(store().refund(late));
        assertThat(remaining(key("a"), other)).isZero();
    }

    @Test
    void refund_beforeTheWindowEnds_givesBackToAnotherPolicy() {
        Policy other = TokenBucket.of(20, 1, Duration.ofDays(3_650));
        for (Policy window : policies(FixedWindow.of(10, MINUTE), SlidingWindow.of(10, MINUTE), new Streak(MINUTE))) {
            Key key = key(window);
            Decision decision = consume(key, window, 4);
            advance(MINUTE.minus(Duration.ofMillis(1)));
            consume(key, other, 10);
            await(store().refund(decision));
            assertThat(remaining(key, other)).as("%s", window).isEqualTo(10);
        }
    }

    /** A full budget is equivalent to none, whether the store still keeps it or not. */
    @Test
    void settle_ofAKeyThatIsWholeUnderAnotherPolicy_spendsUnderItsOwn() {
        for (boolean sweeps : has(Ability.SWEEP) ? List.of(true, false) : List.of(false)) {
            Key key = key("swept " + sweeps);
            Policy hourly = FixedWindow.of(10, Duration.ofHours(1));
            await(store().reserve("r" + sweeps, List.of(new Charge(key, hourly, 1)), MINUTE));
            consume(key, TokenBucket.perSecond(100), 1);
            advance(Duration.ofSeconds(10));
            if (sweeps) {
                trial().sweep();
            }
            assertThat(await(store().settle("r" + sweeps, Map.of("contract", 6L))))
                    .isEqualTo(Settlement.DONE);
            advance(Duration.ofSeconds(1));
            assertThat(remaining(key, hourly)).as("swept: %s", sweeps).isEqualTo(5);
        }
    }

    @Test
    void consume_whileAnInitialFillIsStillFilling_keepsOnlyWhatWasSpent() {
        Policy filling = TokenBucket.of(10, 1, MINUTE).withInitial(3);
        consume(key("a"), filling, 2);
        advance(Duration.ofSeconds(90));
        assertThat(remaining(key("a"), LARGE)).isEqualTo(98);
        advance(Duration.ofSeconds(390));
        assertThat(remaining(key("a"), LARGE)).isEqualTo(99);
        advance(MINUTE);
        assertThat(remaining(key("a"), LARGE)).isEqualTo(100);
    }

    private List<Policy> endingWithinAMinute() {
        return held(policies(
                FixedWindow.of(10, MINUTE),
                SlidingWindow.of(10, MINUTE),
                SlidingWindow.of(1_000, MINUTE),
                new Streak(MINUTE),
                new CalendarWindow(10, ChronoUnit.MINUTES, ZoneOffset.UTC)));
    }
}

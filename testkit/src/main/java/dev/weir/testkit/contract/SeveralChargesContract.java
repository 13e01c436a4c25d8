package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A decision over several limits of any kinds spends all charges or none. */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class SeveralChargesContract extends ContractPart {
    private static final Policy BUCKET = TokenBucket.of(10, 1, Duration.ofDays(3_650));
    private static final Policy WINDOW = FixedWindow.of(10, DAY);
    private static final Policy SLIDING = SlidingWindow.of(10, DAY);

    @Test
    void consume_allFit_spendsAll() {
        Decision decision = consume(
                new Charge(key("a"), BUCKET, 1), new Charge(key("b"), WINDOW, 2), new Charge(key("c"), SLIDING, 3));
        assertAdmitted(decision, 9, 8, 7);
        assertThat(remaining(key("a"), BUCKET)).isEqualTo(9);
        assertThat(remaining(key("b"), WINDOW)).isEqualTo(8);
        assertThat(remaining(key("c"), SLIDING)).isEqualTo(7);
    }

    @Test
    void consume_oneDoesNotFit_spendsNothingFromAny() {
        List<Policy> policies = everyPolicy();
        for (Policy scarce : policies) {
            Key scarceKey = Key.of("scarce", scarce.toString());
            consume(scarceKey, scarce, scarce.capacity());
            for (int place = 0; place <= policies.size(); place += 3) {
                List<Charge> charges = new ArrayList<>();
                policies.forEach(policy -> charges.add(new Charge(key(policy), policy, tenth(policy))));
                charges.add(place, Charge.of(scarceKey, scarce));
                Decision decision = await(store().consume(charges));
                assertThat(decision.admitted()).isFalse();
                assertThat(decision.obstacle()).isEqualTo(decision.reading(place));
                for (int i = 0; i < charges.size(); i++) {
                    assertThat(decision.reading(i))
                            .as("%s", charges.get(i))
                            .isInstanceOf(i == place ? Reading.Refused.class : Reading.Fits.class);
                }
            }
        }
        for (Policy policy : policies) {
            assertThat(remaining(key(policy), policy)).as("%s", policy).isEqualTo(policy.capacity());
        }
    }

    @Test
    void consume_oneIsImpossible_spendsNothingFromAny() {
        Decision decision = consume(
                new Charge(key("a"), BUCKET, 4), new Charge(key("b"), WINDOW, 11), new Charge(key("c"), SLIDING, 4));
        assertImpossible(decision);
        assertThat(decision.readings()).extracting(Reading::remaining).containsExactly(10L, 10L, 10L);
        assertAdmitted(consume(key("a"), BUCKET, 10), 0);
        assertAdmitted(consume(key("b"), WINDOW, 10), 0);
        assertAdmitted(consume(key("c"), SLIDING, 10), 0);
    }

    @Test
    void consume_oneIsClosed_spendsNothingFromAny() {
        assertImpossible(consume(Charge.of(key("a"), BUCKET), Charge.of(key("b"), Policy.closed())));
        assertThat(remaining(key("a"), BUCKET)).isEqualTo(10);
    }

    /** The reported limit is the outermost one that denies. */
    @Test
    void consume_severalRefuse_theFirstIsTheObstacle() {
        consume(key("b"), WINDOW, 10);
        consume(key("c"), SLIDING, 10);
        Decision decision =
                consume(Charge.of(key("a"), BUCKET), Charge.of(key("b"), WINDOW), Charge.of(key("c"), SLIDING));
        assertThat(decision.reading(0)).isInstanceOf(Reading.Fits.class);
        assertThat(decision.reading(1)).isInstanceOf(Reading.Refused.class);
        assertThat(decision.reading(2)).isInstanceOf(Reading.Refused.class);
        assertThat(decision.obstacle()).isEqualTo(decision.reading(1));
    }

    @Test
    void consume_sameKeyTwice_spendsTheSum() {
        forEveryPolicy((policy, key, tenth) -> {
            Decision decision = consume(new Charge(key, policy, 3 * tenth), new Charge(key, policy, 4 * tenth));
            assertAdmitted(decision, 7 * tenth, 3 * tenth);
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(3 * tenth);
        });
    }

    @Test
    void consume_sameKeyTwiceAndTheSumDoesNotFit_spendsNothing() {
        forEveryPolicy((policy, key, tenth) -> {
            consume(key, policy, 2 * tenth);
            Decision decision = consume(new Charge(key, policy, 5 * tenth), new Charge(key, policy, 5 * tenth));
            assertThat(decision.reading(0)).as("%s", policy).isInstanceOf(Reading.Fits.class);
            assertThat(assertRefused(decision).remaining()).as("%s", policy).isEqualTo(8 * tenth);
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(8 * tenth);
        });
    }

    @Test
    void consume_sameKeyTwiceAndTheSumIsAboveTheCapacity_isImpossible() {
        forEveryPolicy((policy, key, tenth) -> {
            Decision decision = consume(new Charge(key, policy, 6 * tenth), new Charge(key, policy, 6 * tenth));
            assertThat(decision.reading(0)).as("%s", policy).isInstanceOf(Reading.Fits.class);
            assertImpossible(decision);
            assertThat(remaining(key, policy)).as("%s", policy).isEqualTo(policy.capacity());
        });
    }

    @Test
    void peek_sameKeyTwice_asksForTheSum() {
        assertThat(peek(new Charge(key("a"), WINDOW, 5), new Charge(key("a"), WINDOW, 5))
                        .admitted())
                .isTrue();
        assertThat(peek(new Charge(key("a"), WINDOW, 5), new Charge(key("a"), WINDOW, 6))
                        .admitted())
                .isFalse();
    }

    @Test
    void consume_manyCharges_decidesThemTogether() {
        List<Charge> charges = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            charges.add(new Charge(key("many " + i), i % 2 == 0 ? BUCKET : SLIDING, 1 + i % 3));
        }
        Decision decision = await(store().consume(charges));
        assertThat(decision.admitted()).isTrue();
        for (int i = 0; i < 40; i++) {
            assertThat(decision.reading(i).remaining()).isEqualTo(10 - 1 - i % 3);
        }
        consume(key("many 39"), SLIDING, 9);
        assertThat(await(store().consume(charges)).admitted()).isFalse();
        assertThat(remaining(key("many 0"), BUCKET)).isEqualTo(9);
    }

    @Test
    void consume_withACalendar_isAllOrNothingToo() {
        Policy month = new CalendarWindow(5, ChronoUnit.MONTHS, ZoneOffset.UTC);
        assertAdmitted(consume(new Charge(key("a"), month, 3), new Charge(key("b"), BUCKET, 3)), 2, 7);
        assertRefused(consume(new Charge(key("b"), BUCKET, 3), new Charge(key("a"), month, 3)));
        assertThat(remaining(key("b"), BUCKET)).isEqualTo(7);
    }
}

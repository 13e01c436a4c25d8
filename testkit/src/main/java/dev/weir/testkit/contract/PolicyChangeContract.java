package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A changed policy takes effect at the next check and keeps what was spent. */
public abstract class PolicyChangeContract extends ContractPart {
    private static final Policy SMALL = FixedWindow.of(10, DAY);
    private static final Policy LARGE = FixedWindow.of(100, DAY);

    @Test
    void consume_underAnyOtherPolicy_keepsWhatWasSpent() {
        List<Policy> policies = everyPolicy();
        for (Policy from : policies) {
            for (Policy to : policies) {
                Key key = Key.of("from", from.toString(), to.toString());
                consume(key, from, 4);
                assertThat(remaining(key, to)).as("%s to %s", from, to).isEqualTo(to.capacity() - 4);
                assertAdmitted(consume(key, to, 3), to.capacity() - 7);
                assertThat(remaining(key, from)).as("%s to %s", from, to).isEqualTo(from.capacity() - 7);
            }
        }
    }

    @Test
    void consume_underASmallerPolicy_owesNoMoreThanItsCapacity() {
        consume(key("a"), LARGE, 60);
        assertThat(remaining(key("a"), SMALL)).isZero();
        assertRefused(consume(key("a"), SMALL, 1));
    }

    @Test
    void consume_underALargerPolicy_hasTheDifferenceAtOnce() {
        consume(key("a"), SMALL, 10);
        assertRefused(consume(key("a"), SMALL, 1));
        assertAdmitted(consume(key("a"), LARGE, 90), 0);
    }

    /** A refused charge or a peek changes nothing. A node with outdated settings therefore affects no other caller. */
    @Test
    void consume_refusedUnderAnotherPolicy_leavesTheKeyAsItIs() {
        consume(key("a"), LARGE, 60);
        for (int i = 0; i < 3; i++) {
            assertRefused(consume(key("a"), SMALL, 1));
            assertImpossible(consume(key("a"), SMALL, 11));
            peek(key("a"), SMALL, 1);
            assertRefused(consume(Charge.of(key("b"), LARGE), Charge.of(key("a"), SMALL)));
            assertThat(remaining(key("a"), LARGE)).isEqualTo(40);
        }
        assertImpossible(consume(key("a"), Policy.closed(), 1));
        assertThat(remaining(key("a"), LARGE)).isEqualTo(40);
    }

    @Test
    void consume_ofAnUntouchedOrWholeKey_isFreshUnderAnyPolicy() {
        Decision decision = consume(key("a"), SMALL, 5);
        await(store().refund(decision));
        assertThat(peek(key("a"), LARGE, 1).reading(0)).isEqualTo(new Reading.Fits(100, Duration.ZERO));
        assertAdmitted(consume(key("a"), LARGE, 100), 0);
    }

    @Test
    void reset_afterAChange_makesItWholeUnderEither() {
        consume(key("a"), SMALL, 5);
        consume(key("a"), LARGE, 5);
        await(store().reset(List.of(key("a"))));
        assertThat(remaining(key("a"), SMALL)).isEqualTo(10);
        assertThat(remaining(key("a"), LARGE)).isEqualTo(100);
    }

    /** A limit is raised while a reservation is open: giving back the estimate must keep what was spent since. */
    @Test
    void refund_ofWhatWasSpentBeforeAnUpgrade_keepsWhatWasSpentSince() {
        Policy free = TokenBucket.of(10, 1, Duration.ofDays(3_650));
        Policy paid = TokenBucket.of(100, 1, Duration.ofDays(3_650));
        Decision decision = consume(key("a"), free, 5);
        consume(key("a"), paid, 60);
        assertThat(await(store().refund(decision))).isTrue();
        assertThat(remaining(key("a"), paid)).isEqualTo(40);
    }

    @Test
    void settle_afterAnUpgrade_keepsWhatWasSpentSince() {
        Policy free = TokenBucket.of(10, 1, Duration.ofDays(3_650));
        Policy paid = TokenBucket.of(100, 1, Duration.ofDays(3_650));
        await(store().reserve("r", List.of(new Charge(key("a"), free, 5)), MINUTE));
        await(store().reserve("more", List.of(new Charge(key("b"), free, 5)), MINUTE));
        consume(key("a"), paid, 60);
        consume(key("b"), paid, 60);
        assertThat(await(store().settle("r", Map.of("contract", 2L)))).isEqualTo(Settlement.DONE);
        assertThat(await(store().settle("more", Map.of("contract", 8L)))).isEqualTo(Settlement.DONE);
        assertThat(remaining(key("a"), paid)).isEqualTo(38);
        assertThat(remaining(key("b"), paid)).isEqualTo(32);
    }

    /** The missing units count, up to the new capacity, debts included. */
    @Test
    void consume_underALargerPolicy_keepsADebt() {
        await(store().reserve("r", List.of(new Charge(key("a"), SMALL, 1)), MINUTE));
        await(store().settle("r", Map.of("contract", 15L)));
        assertThat(remaining(key("a"), LARGE)).isEqualTo(85);
    }

    /** Units that an initial fill withholds do not count as spent. */
    @Test
    void consume_afterAnInitialFill_keepsOnlyWhatWasSpent() {
        for (Policy to : everyPolicy()) {
            Policy filling = TokenBucket.of(10, 1, Duration.ofDays(3_650)).withInitial(3);
            Key key = Key.of("filling", to.toString());
            consume(key, filling, 1);
            assertThat(remaining(key, filling)).isEqualTo(2);
            assertThat(remaining(key, to)).as("%s", to).isEqualTo(to.capacity() - 1);
            assertAdmitted(consume(key, to, 2), to.capacity() - 3);
            assertThat(remaining(key, filling)).as("%s", to).isZero();
        }
    }
}

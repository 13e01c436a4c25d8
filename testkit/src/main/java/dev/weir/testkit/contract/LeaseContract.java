package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.TokenBucket;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Leases hold slots and end by themselves unless they are renewed. */
public abstract class LeaseContract extends LeasePart {
    @Test
    void acquire_asManyAsThereAreSlots_holdsThemAndThenRefuses() {
        assertAdmitted(acquire("a"), 2);
        assertAdmitted(acquire("b"), 1);
        assertAdmitted(acquire("c"), 0);
        Reading.Refused refused = assertRefused(acquire("d"));
        assertThat(refused.remaining()).isZero();
        assertThat(refused.retryAfter()).isPositive().isLessThanOrEqualTo(MINUTE);
        assertThat(await(store().release("d"))).isFalse();
    }

    @Test
    void acquire_severalUnits_holdsThemAll() {
        assertAdmitted(acquire("a", 2), 1);
        assertRefused(acquire("b", 2));
        assertImpossible(acquire("c", 4));
        assertThat(free()).isEqualTo(1);
        await(store().release("a"));
        assertThat(free()).isEqualTo(3);
    }

    @Test
    void acquire_againWithTheSameId_isAdmittedAndTakesNothingMore() {
        acquire("a");
        acquire("b");
        acquire("c");
        Decision again = acquire("b");
        assertThat(again.admitted()).isTrue();
        assertThat(again.readings()).allMatch(Reading.Admitted.class::isInstance);
        assertThat(free()).isZero();
        assertThat(await(store().release("b"))).isTrue();
        assertThat(free()).isEqualTo(1);
    }

    /**
     * A key that changes to a rate policy loses its slots. A lease must not report as held what another caller can
     * take.
     */
    @Test
    void renew_afterTheKeyWentOverToARate_isNotHeldAnyMore() {
        acquire("a");
        await(store().consume(List.of(Charge.of(key("slots"), TokenBucket.of(10, 1, DAY)))));
        assertThat(await(store().renew("a", MINUTE))).isFalse();
        assertThat(await(store().release("a"))).isFalse();
    }

    /** Units of a rate come back by themselves, but no lease would return a slot. */
    @Test
    void acquire_afterTheKeyWasARate_findsAllSlotsFree() {
        await(store().consume(List.of(new Charge(key("slots"), TokenBucket.of(10, 1, DAY), 4))));
        assertThat(free()).isEqualTo(3);
        assertAdmitted(await(store().acquire("a", List.of(new Charge(key("slots"), THREE, 3)), MINUTE)), 0);
        assertThat(await(store().release("a"))).isTrue();
        assertThat(free()).isEqualTo(3);
    }

    @Test
    void refund_ofALeaseAskedForAgain_givesNothingBack() {
        Key tokens = key("tokens");
        Policy bucket = TokenBucket.of(10, 1, DAY);
        List<Charge> both = List.of(Charge.of(key("slots"), THREE), new Charge(tokens, bucket, 2));
        await(store().consume(List.of(new Charge(tokens, bucket, 5))));
        await(store().acquire("a", both, MINUTE));
        for (int i = 0; i < 3; i++) {
            assertThat(await(store().refund(await(store().acquire("a", both, MINUTE)))))
                    .isFalse();
        }
        assertThat(remaining(tokens, bucket)).isEqualTo(3);
    }

    @Test
    void acquire_sameKeyTwiceInOneLease_holdsBoth() {
        List<Charge> twice = List.of(Charge.of(key("slots"), THREE), Charge.of(key("slots"), THREE));
        assertAdmitted(await(store().acquire("a", twice, MINUTE)), 2, 1);
        assertThat(free()).isEqualTo(1);
        assertRefused(await(store().acquire("b", twice, MINUTE)));
        assertThat(free()).isEqualTo(1);
        assertThat(await(store().release("a"))).isTrue();
        assertThat(free()).isEqualTo(3);
    }

    @Test
    void acquire_severalLimits_isAllOrNothing() {
        Policy window = FixedWindow.of(2, DAY);
        List<Charge> charges = List.of(
                Charge.of(key("slots"), THREE),
                Charge.of(key("narrow"), Concurrency.of(1)),
                Charge.of(key("w"), window));
        assertAdmitted(await(store().acquire("a", charges, MINUTE)), 2, 0, 1);
        Decision refused = await(store().acquire("b", charges, MINUTE));
        assertThat(refused.obstacle()).isEqualTo(refused.reading(1));
        assertThat(free()).isEqualTo(2);
        assertThat(remaining(key("w"), window)).isEqualTo(1);
        await(store().release("a"));
        assertThat(free()).isEqualTo(3);
        assertThat(remaining(key("narrow"), Concurrency.of(1))).isEqualTo(1);
        // Units consumed together with a lease stay spent when its slots are released.
        assertThat(remaining(key("w"), window)).isEqualTo(1);
    }

    @Test
    void release_frees_andAgainHarmsNothing() {
        acquire("a");
        acquire("b");
        assertThat(await(store().release("a"))).isTrue();
        assertThat(await(store().release("a"))).isFalse();
        assertThat(await(store().release("nobody's"))).isFalse();
        assertThat(free()).isEqualTo(2);
        assertAdmitted(acquire("a"), 1);
    }

    @Test
    void renew_ofALeaseThatIsNotHeld_answersFalse() {
        assertThat(await(store().renew("nobody's", MINUTE))).isFalse();
        acquire("a");
        assertThat(await(store().renew("a", MINUTE))).isTrue();
        await(store().release("a"));
        assertThat(await(store().renew("a", MINUTE))).isFalse();
        assertThat(free()).isEqualTo(3);
    }

    @Test
    void refund_ofALease_doesNotFreeItsSlots() {
        Policy window = FixedWindow.of(5, DAY);
        Decision decision = await(
                store().acquire("a", List.of(Charge.of(key("slots"), THREE), new Charge(key("w"), window, 2)), MINUTE));
        await(store().refund(decision));
        assertThat(free()).isEqualTo(2);
        assertThat(remaining(key("w"), window)).isEqualTo(5);
        assertThat(await(store().release("a"))).isTrue();
        assertThat(free()).isEqualTo(3);
    }

    @Test
    void acquire_underAnotherNumberOfSlots_keepsTheLeases() {
        acquire("a");
        acquire("b");
        assertThat(remaining(key("slots"), Concurrency.of(5))).isEqualTo(3);
        assertThat(remaining(key("slots"), Concurrency.of(1))).isZero();
        assertAdmitted(await(store().acquire("c", List.of(Charge.of(key("slots"), Concurrency.of(5))), MINUTE)), 2);
        assertRefused(await(store().acquire("d", List.of(Charge.of(key("slots"), Concurrency.of(2))), MINUTE)));
        assertThat(await(store().release("a"))).isTrue();
        assertThat(await(store().release("b"))).isTrue();
        assertAdmitted(await(store().acquire("d", List.of(Charge.of(key("slots"), Concurrency.of(2))), MINUTE)), 0);
    }
}

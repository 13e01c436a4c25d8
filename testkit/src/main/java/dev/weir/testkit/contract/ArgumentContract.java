package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.ArgumentException;
import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.testkit.history.StoreUnderTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Misuse throws an exception that states the fault, and changes nothing. */
public abstract class ArgumentContract extends ContractPart {
    private static final Policy TEN = FixedWindow.of(10, DAY);
    private static final Policy SLOTS = Concurrency.of(3);

    @Test
    void decisions_withoutCharges_throw() {
        assertRefusesArguments(() -> await(store().consume(List.of())));
        assertRefusesArguments(() -> await(store().peek(List.of())));
        assertRefusesArguments(() -> await(store().reserve("r", List.of(), MINUTE)));
        assertRefusesArguments(() -> await(store().acquire("l", List.of(), MINUTE)));
    }

    @Test
    void consume_ofSlots_throwsAndChangesNothing() {
        Charge slot = Charge.of(key("slots"), SLOTS);
        Charge budget = new Charge(key("a"), TEN, 4);
        assertRefusesArguments(() -> await(store().consume(List.of(slot))));
        assertRefusesArguments(() -> await(store().consume(List.of(budget, slot))));
        assertRefusesArguments(() -> await(store().reserve("r", List.of(budget, slot), MINUTE)));
        assertThat(remaining(key("a"), TEN)).isEqualTo(10);
        assertThat(remaining(key("slots"), SLOTS)).isEqualTo(3);
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.UNKNOWN);
    }

    @Test
    void ttl_outOfBounds_throwsAndChangesNothing() {
        List<Charge> budget = List.of(new Charge(key("a"), TEN, 4));
        List<Charge> slot = List.of(Charge.of(key("slots"), SLOTS));
        await(store().acquire("held", slot, MINUTE));
        for (Duration ttl :
                List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(-1), Store.LONGEST_TTL.plusNanos(1))) {
            assertRefusesArguments(() -> await(store().reserve("r", budget, ttl)));
            assertRefusesArguments(() -> await(store().acquire("l", slot, ttl)));
            assertRefusesArguments(() -> await(store().renew("held", ttl)));
            assertRefusesArguments(() -> await(store().prolong("r", ttl)));
        }
        assertThat(remaining(key("a"), TEN)).isEqualTo(10);
        assertThat(remaining(key("slots"), SLOTS)).isEqualTo(2);
        assertThat(await(store().release("held"))).isTrue();
    }

    @Test
    void ttl_atItsLongest_isAccepted() {
        assertAdmitted(await(store().acquire("l", List.of(Charge.of(key("slots"), SLOTS)), Store.LONGEST_TTL)), 2);
        assertThat(await(store().renew("l", Store.LONGEST_TTL))).isTrue();
        assertAdmitted(await(store().reserve("r", List.of(Charge.of(key("a"), TEN)), Store.LONGEST_TTL)), 9);
        assertThat(await(store().prolong("r", Store.LONGEST_TTL))).isTrue();
    }

    @Test
    void id_emptyOrTooLong_throwsAndChangesNothing() {
        for (String id : List.of("", "x".repeat(257))) {
            assertRefusesArguments(() -> await(store().reserve(id, List.of(Charge.of(key("a"), TEN)), MINUTE)));
            assertRefusesArguments(() -> await(store().acquire(id, List.of(Charge.of(key("slots"), SLOTS)), MINUTE)));
        }
        assertThat(remaining(key("a"), TEN)).isEqualTo(10);
        assertThat(remaining(key("slots"), SLOTS)).isEqualTo(3);
        assertAdmitted(await(store().reserve("x".repeat(256), List.of(Charge.of(key("a"), TEN)), MINUTE)), 9);
    }

    @Test
    void settle_withACostOutOfBounds_throwsAndLeavesItOpen() {
        await(store().reserve("r", List.of(new Charge(key("a"), TEN, 4)), MINUTE));
        for (long cost : new long[] {-1, Long.MIN_VALUE, Policy.MAX_COUNT + 1, Long.MAX_VALUE}) {
            assertRefusesArguments(() -> await(store().settle("r", Map.of("contract", cost))));
        }
        assertThat(remaining(key("a"), TEN)).isEqualTo(6);
        assertThat(await(store().cancel("r"))).isEqualTo(Settlement.DONE);
    }

    @Test
    void refund_ofAnotherStoresDecision_throwsAndChangesNothing() {
        consume(key("a"), TEN, 4);
        try (StoreUnderTest other = contract().newStore()) {
            Decision foreign = await(other.store().consume(List.of(new Charge(key("a"), TEN, 3))));
            Decision madeUp = new MadeUpDecision();
            assertRefusesArguments(() -> await(store().refund(madeUp)));
            if (foreign.getClass().equals(consume(key("b"), TEN, 1).getClass())) {
                assertRefusesArguments(() -> await(store().refund(foreign)));
            }
        }
        assertThat(remaining(key("a"), TEN)).isEqualTo(6);
    }

    @Test
    void oneKey_underTwoPolicies_throwsAndChangesNothing() {
        List<Charge> two = List.of(Charge.of(key("a"), TEN), Charge.of(key("a"), FixedWindow.of(11, DAY)));
        assertRefusesArguments(() -> await(store().consume(two)));
        assertRefusesArguments(() -> await(store().peek(two)));
        assertRefusesArguments(() -> await(store().reserve("r", two, MINUTE)));
        assertRefusesArguments(() -> await(store().acquire("l", two, MINUTE)));
        assertThat(remaining(key("a"), TEN)).isEqualTo(10);
    }

    @Test
    void misuse_namesTheArgument() {
        List<Charge> budget = List.of(Charge.of(key("a"), TEN));
        assertRefuses("charges", () -> await(store().consume(List.of())));
        assertRefuses("charges", () -> await(store().consume(List.of(Charge.of(key("slots"), SLOTS)))));
        assertRefuses("id", () -> await(store().reserve("", budget, MINUTE)));
        assertRefuses("ttl", () -> await(store().reserve("r", budget, Duration.ZERO)));
        assertRefuses("costs", () -> await(store().settle("r", Map.of("contract", -1L))));
        assertRefuses("decision", () -> await(store().refund(new MadeUpDecision())));
        await(store().reserve("r", budget, MINUTE));
        assertRefuses("costs", () -> await(store().settle("r", Map.of("another", 1L))));
        assertRefuses("id", () -> await(store().reserve("r", List.of(Charge.of(key("b"), TEN)), MINUTE)));
    }

    @Test
    void close_thenAnyCall_throws() {
        Decision spent = consume(key("a"), TEN, 1);
        List<Charge> budget = List.of(Charge.of(key("a"), TEN));
        Store closed = store();
        closed.close();
        closed.close();
        List<ThrowingCallable> calls = List.of(
                () -> closed.consume(budget),
                () -> closed.peek(budget),
                () -> closed.refund(spent),
                () -> closed.reset(List.of(key("a"))),
                () -> closed.reset(List.of()),
                () -> closed.reserve("r", budget, MINUTE),
                () -> closed.settle("r", Map.of()),
                () -> closed.cancel("r"),
                () -> closed.prolong("r", MINUTE),
                () -> closed.acquire("l", List.of(Charge.of(key("slots"), SLOTS)), MINUTE),
                () -> closed.renew("l", MINUTE),
                () -> closed.release("l"));
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call).isInstanceOf(IllegalStateException.class).hasMessage("the store is closed");
        }
    }

    private static void assertRefusesArguments(ThrowingCallable call) {
        assertThatIllegalArgumentException()
                .isThrownBy(call)
                .satisfies(thrown -> assertThat(thrown.getMessage()).isNotBlank());
    }

    private static void assertRefuses(String field, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ArgumentException.class,
                        refused -> assertThat(refused.field()).isEqualTo(field));
    }

    /** A decision that was not made by any store. */
    private record MadeUpDecision() implements Decision {
        @Override
        public boolean admitted() {
            return true;
        }

        @Override
        public List<Charge> charges() {
            return List.of(new Charge(key("a"), TEN, 3));
        }

        @Override
        public Reading reading(int index) {
            return new Reading.Admitted(7, DAY);
        }

        @Override
        public long time() {
            return 1;
        }
    }
}

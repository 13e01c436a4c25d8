package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A lease ends to the tick unless it is renewed, and never before its ttl. */
public abstract class LeaseEndContract extends LeasePart {
    @Test
    void lease_notRenewed_endsToTheTick() {
        acquire("a");
        assertThat(peek(key("slots"), THREE, 3).reading(0)).isEqualTo(new Reading.Refused(2, MINUTE, MINUTE));
        advance(MINUTE.minus(tick(THREE)));
        assertThat(free()).isEqualTo(2);
        advance(tick(THREE));
        assertThat(free()).isEqualTo(3);
        assertThat(await(store().renew("a", MINUTE))).isFalse();
        assertThat(await(store().release("a"))).isFalse();
    }

    @Test
    void ttl_betweenTwoTicks_endsNothingEarly() {
        Duration ttl = Duration.ofNanos(1_001);
        List<Charge> budget = List.of(Charge.of(key("a"), FixedWindow.of(10, DAY)));
        List<Charge> slot = List.of(Charge.of(key("slots"), THREE));
        await(store().reserve("made", budget, ttl));
        await(store().reserve("prolonged", budget, MINUTE));
        await(store().prolong("prolonged", ttl));
        await(store().acquire("taken", slot, ttl));
        await(store().acquire("renewed", slot, MINUTE));
        await(store().renew("renewed", ttl));
        advance(Duration.ofNanos(1_000));
        assertThat(free()).isEqualTo(1);
        assertThat(await(store().cancel("made"))).isEqualTo(Settlement.DONE);
        assertThat(await(store().cancel("prolonged"))).isEqualTo(Settlement.DONE);
        assertThat(await(store().release("taken"))).isTrue();
        assertThat(await(store().release("renewed"))).isTrue();
    }

    /** Slots of the expired lease must not count for the new lease with the same id. */
    @Test
    void acquire_againAfterItExpiredUnderAnotherNumberOfSlots_holdsOnlyTheNewOnes() {
        Charge other = Charge.of(key("other"), TokenBucket.of(10, 1, DAY));
        assertAdmitted(await(store().acquire("a", List.of(new Charge(key("slots"), Concurrency.of(5), 2)), MINUTE)), 3);
        advance(MINUTE);
        assertAdmitted(await(store().acquire("a", List.of(new Charge(key("slots"), THREE, 2), other), MINUTE)), 1, 9);
        assertThat(free()).isEqualTo(1);
    }

    @Test
    void renew_beforeTheEnd_holdsOn() {
        acquire("a");
        for (int i = 0; i < 5; i++) {
            advance(Duration.ofSeconds(59));
            assertThat(await(store().renew("a", MINUTE))).isTrue();
        }
        assertThat(free()).isEqualTo(2);
        advance(MINUTE);
        assertThat(free()).isEqualTo(3);
    }

    @Test
    void renew_forAShorterTime_endsEarlier() {
        acquire("a");
        assertThat(await(store().renew("a", Duration.ofSeconds(1)))).isTrue();
        advance(Duration.ofSeconds(1));
        assertThat(free()).isEqualTo(3);
    }

    @Test
    void acquire_againWithTheSameId_renews() {
        acquire("a");
        advance(Duration.ofSeconds(40));
        acquire("a");
        advance(Duration.ofSeconds(40));
        assertThat(free()).isEqualTo(2);
        advance(Duration.ofSeconds(20));
        assertThat(free()).isEqualTo(3);
    }

    @Test
    void refused_waitsForAsManyLeasesAsItNeeds() {
        acquire("first");
        advance(Duration.ofSeconds(10));
        acquire("second");
        advance(Duration.ofSeconds(10));
        acquire("third");
        assertThat(assertRefused(acquire("d", 1)).retryAfter()).isEqualTo(Duration.ofSeconds(40));
        assertThat(assertRefused(acquire("d", 2)).retryAfter()).isEqualTo(Duration.ofSeconds(50));
        assertThat(assertRefused(acquire("d", 3)).retryAfter()).isEqualTo(MINUTE);
        advance(Duration.ofSeconds(50));
        assertAdmitted(acquire("d", 2), 0);
    }
}

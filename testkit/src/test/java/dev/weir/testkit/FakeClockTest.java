package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FakeClockTest {
    private final FakeClock clock = new FakeClock();

    @Test
    void clock_leftAlone_standsStillAtItsStart() {
        assertThat(clock.wall()).isEqualTo(FakeClock.START).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(clock.nanos()).isEqualTo(clock.nanos());
    }

    @Test
    void advance_movesBothClocks() {
        long nanos = clock.nanos();
        clock.advance(Duration.ofNanos(1_999_999));
        assertThat(clock.nanos() - nanos).isEqualTo(1_999_999);
        assertThat(clock.wall()).isEqualTo(FakeClock.START.plusMillis(1));
        clock.advance(Duration.ofNanos(1));
        assertThat(clock.wall()).isEqualTo(FakeClock.START.plusMillis(2));
    }

    @Test
    void stepBack_movesBothClocksBack() {
        long nanos = clock.nanos();
        clock.stepBack(Duration.ofDays(3_650));
        assertThat(clock.nanos() - nanos).isEqualTo(-Duration.ofDays(3_650).toNanos());
        assertThat(clock.wall()).isEqualTo(FakeClock.START.minus(Duration.ofDays(3_650)));
    }

    @Test
    void stepWall_movesTheWallAlone() {
        long nanos = clock.nanos();
        clock.stepWall(Duration.ofHours(-1));
        assertThat(clock.nanos()).isEqualTo(nanos);
        assertThat(clock.wall()).isEqualTo(FakeClock.START.minus(Duration.ofHours(1)));
        clock.advance(Duration.ofHours(2));
        assertThat(clock.wall()).isEqualTo(FakeClock.START.plus(Duration.ofHours(1)));
    }

    @Test
    void set_movesBothClocksToThatTime() {
        clock.stepWall(Duration.ofHours(-1));
        long nanos = clock.nanos();
        clock.set(FakeClock.START.plusSeconds(5));
        assertThat(clock.wall()).isEqualTo(FakeClock.START.plusSeconds(5));
        assertThat(clock.nanos() - nanos).isEqualTo(Duration.ofSeconds(3_605).toNanos());
    }

    @Test
    void advance_byANegativeTime_throws() {
        assertThatIllegalArgumentException().isThrownBy(() -> clock.advance(Duration.ofNanos(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> clock.stepBack(Duration.ofNanos(-1)));
    }
}

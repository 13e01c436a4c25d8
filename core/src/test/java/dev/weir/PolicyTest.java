package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class PolicyTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void counts_belowOne_areRefusedWithWhatIsNeeded() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.of(0, 1, MINUTE))
                .withMessageStartingWith("capacity is 0; it must be at least 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.of(1, -5, MINUTE))
                .withMessageStartingWith("refill is -5; it must be at least 1");
        assertThatIllegalArgumentException().isThrownBy(() -> FixedWindow.of(0, MINUTE));
        assertThatIllegalArgumentException().isThrownBy(() -> SlidingWindow.of(0, MINUTE));
        assertThatIllegalArgumentException().isThrownBy(() -> CalendarWindow.perDay(0, ZoneId.of("UTC")));
        assertThatIllegalArgumentException().isThrownBy(() -> Concurrency.of(0));
    }

    @Test
    void counts_aboveWhatEveryStoreHolds_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FixedWindow.of(Long.MAX_VALUE, MINUTE))
                .withMessageContaining("it must be at most 1000000000000000");
    }

    @Test
    void periods_outsideAMillisecondToAHundredYears_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FixedWindow.of(1, Duration.ofNanos(999_999)))
                .withMessageStartingWith("period is 999999ns; it must be 1ms to 36525d");
        assertThatIllegalArgumentException().isThrownBy(() -> SlidingWindow.of(1, Duration.ofDays(36_526)));
        assertThatIllegalArgumentException().isThrownBy(() -> TokenBucket.of(1, 1, Duration.ofSeconds(-1)));
        assertThat(FixedWindow.of(1, Duration.ofDays(36_525)).period()).isEqualTo(Duration.ofDays(36_525));
    }

    @Test
    void bucket_thatNoIntegerHolds_isRefusedRatherThanRounded() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TokenBucket.of(999_999_999_999_989L, 999_999_999_999_989L, Duration.ofDays(365)))
                .withMessageContaining("cannot be kept exactly in 64-bit integers");
    }

    @Test
    void bucket_withAwkwardButLargeNumbers_isAccepted() {
        assertThat(TokenBucket.of(999_999_999_989L, 999_999_999_989L, Duration.ofDays(1))
                        .capacity())
                .isEqualTo(999_999_999_989L);
        assertThat(TokenBucket.of(1_000_000_000_000L, 1, Duration.ofMillis(1)).refill())
                .isEqualTo(1);
    }

    @Test
    void initialFill_outsideTheBucket_isRefused() {
        TokenBucket bucket = TokenBucket.perMinute(10);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bucket.withInitial(11))
                .withMessage("initial is 11; it must be 0 to the capacity, 10");
        assertThatIllegalArgumentException().isThrownBy(() -> bucket.withInitial(-1));
    }

    @Test
    void calendarWindow_ofAUnitThatIsNone_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CalendarWindow(1, ChronoUnit.DECADES, ZoneId.of("UTC")))
                .withMessage("unit is Decades; it must be SECONDS, MINUTES, HOURS, DAYS, WEEKS or MONTHS");
    }

    @Test
    void slidingWindow_saysByHowMuchItMayRefuseEarly() {
        assertThat(SlidingWindow.of(500, MINUTE).earlyRefusal()).isZero();
        assertThat(SlidingWindow.of(501, MINUTE).earlyRefusal()).isEqualTo(Duration.ofMillis(600));
    }

    @Test
    void charge_thatCostsNothing_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Charge(Key.of("s"), Policy.closed(), 0))
                .withMessage("cost is 0; it must be a positive whole number");
    }

    @Test
    void policies_withTheSameNumbers_areEqual() {
        assertThat(TokenBucket.of(60, 60, Duration.ofSeconds(60)))
                .isEqualTo(TokenBucket.perMinute(60))
                .hasSameHashCodeAs(TokenBucket.perMinute(60))
                .isNotEqualTo(FixedWindow.of(60, MINUTE));
    }
}

package dev.weir.store.scripted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.Concurrency;
import dev.weir.DurationText;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Buckets by the size of their numbers: on microseconds, on a coarser clock, or refused. */
class PolicyCodeTest {
    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void bucket_ofRoundNumbers_isShort() {
        for (Policy policy : new Policy[] {
            TokenBucket.perSecond(10),
            TokenBucket.perMinute(60),
            TokenBucket.of(1_000_000, 1_000_000, DAY),
            TokenBucket.of(5_000_000, 5_000_000, Duration.ofDays(30))
        }) {
            assertThat(code(policy)).as("%s", policy).startsWith("0").hasSize(10);
            assertThat(PolicyCode.of(policy).plain()).as("%s", policy).isNotNull();
        }
    }

    @Test
    void bucket_whoseNumbersFit_isOnMicroseconds() {
        assertThat(code(TokenBucket.perMinute(7))).isEqualTo("11" + "14" + "07" + "07" + "03938700");
        assertThat(code(TokenBucket.of(10, 1, DAY).withInitial(3))).startsWith("21");
        // A token has 8.64e10 units, and 13,031 of them 2^50 and no more.
        assertThat(code(TokenBucket.of(13_031, 13_033, DAY))).startsWith("1");
    }

    @Test
    void bucket_ofLargerNumbers_isOnTheFinestClockThatHoldsIt() {
        assertThat(code(TokenBucket.of(13_033, 13_033, DAY))).startsWith("3").endsWith("03");
        assertThat(code(TokenBucket.of(999_983, 999_983, DAY))).startsWith("3").endsWith("03");
        assertThat(code(TokenBucket.of(1_001, 1_001, Duration.ofDays(30))))
                .startsWith("3")
                .endsWith("03");
        assertThat(code(TokenBucket.of(10_000_019, 10_000_019, Duration.ofDays(30))))
                .startsWith("3")
                .endsWith("06");
        assertThat(PolicyCode.of(TokenBucket.of(999_983, 999_983, DAY)).plain()).isNull();
    }

    @Test
    void policy_thatIsNoBucket_isNotAskedForInRuns() {
        for (Policy policy : new Policy[] {Policy.closed(), Concurrency.of(3), FixedWindow.of(3, DAY)}) {
            assertThat(PolicyCode.of(policy).plain()).as("%s", policy).isNull();
        }
    }

    @Test
    void bucket_thatNoClockHolds_isRefused() {
        for (TokenBucket bucket : new TokenBucket[] {
            TokenBucket.of(Policy.MAX_COUNT, 1, Duration.ofMillis(1)),
            TokenBucket.of(1_000_000_000_000L, 7, DAY),
            TokenBucket.of(1, Policy.MAX_COUNT - 1, Duration.ofNanos(1_000_001))
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> PolicyCode.of(bucket))
                    .withMessage("a bucket of " + bucket.capacity() + " that refills " + bucket.refill() + " every "
                            + DurationText.of(bucket.period())
                            + " cannot be kept exactly in the 53-bit integers of this store; choose a"
                            + " smaller capacity, or a refill that shares more factors with the period (such as a round"
                            + " number)");
        }
    }

    private static String code(Policy policy) {
        return HexFormat.of().formatHex(PolicyCode.of(policy).code());
    }
}

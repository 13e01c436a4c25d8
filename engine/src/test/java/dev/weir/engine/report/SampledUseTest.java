package dev.weir.engine.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SampledUseTest {
    private final Weir weir = Weir.inMemory(
            new ConfigurationReader(name -> null).read("test.yaml", """
                    limits:
                      - { name: a, per: [user], rate: [5/min, 100/hour] }
                      - { name: b, per: [user], by: plan, rate: { default: 10/min, pro: 20/min }, shadow: true }
                      - { name: seats, per: [user], algorithm: concurrency, rate: 1 }
                    """).orThrow());
    private final AtomicLong nanos = new AtomicLong();
    private final SampledUse use = new SampledUse(nanos::get);

    @BeforeEach
    void start() {
        weir.sampleUse(use);
    }

    @AfterEach
    void close() {
        weir.close();
    }

    private void check(String user, int times) {
        for (int i = 0; i < times; i++) {
            weir.check(Map.of("user", user));
        }
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** What a rate of this count would have refused: the use beyond it in each period. */
    private static double refused(UseReport report, long count) {
        return report.buckets().stream()
                .filter(bucket -> bucket.upTo() > count)
                .mapToDouble(bucket -> bucket.used() - bucket.windows() * (double) count)
                .sum();
    }

    @Test
    void use_isThatOfAllRequests_refusedOnesIncluded() {
        check("alice", 8);
        check("bob", 2);
        pass(Duration.ofMinutes(1));
        check("alice", 3);
        UseReport minute = use.of("a").get(0);
        assertThat(minute.period()).isEqualTo(Duration.ofMinutes(1));
        assertThat(minute.oneOf()).isEqualTo(1);
        assertThat(minute.keys()).isEqualTo(2);
        assertThat(minute.observed()).isEqualTo(Duration.ofMinutes(1));
        assertThat(minute.buckets())
                .containsExactly(
                        new UseReport.Bucket(2, 1, 2, 1),
                        new UseReport.Bucket(3, 1, 3, 0),
                        new UseReport.Bucket(8, 1, 8, 1));
        assertThat(refused(minute, 5)).isEqualTo(3);
        assertThat(use.of("a").get(1).buckets())
                .containsExactly(new UseReport.Bucket(2, 1, 2, 1), new UseReport.Bucket(11, 1, 11, 1));
    }

    @Test
    void shadowLimitsAndRows_areApart() {
        check("alice", 1);
        weir.check(Request.of(Map.of("user", "bob", "plan", "pro")));
        assertThat(use.of("b")).extracting(UseReport::row).containsExactly("default", "pro");
        assertThat(use.of("b")).extracting(UseReport::keys).containsExactly(1, 1);
    }

    @Test
    void slots_haveNoUseInAPeriod() {
        weir.acquire(Request.of(Map.of("user", "alice")), Duration.ofMinutes(1)).close();
        assertThat(use.of("seats")).isEmpty();
        assertThat(use.of("none")).isEmpty();
    }

    /** With more keys than are kept, a sample stands for all, and says so. */
    @Test
    void manyKeys_areASample() {
        for (int i = 0; i < 20_000; i++) {
            check("user-" + i, i % 100 == 0 ? 4 : 1);
        }
        UseReport report = use.of("a").get(0);
        assertThat(report.keys()).isBetween(SampledRate.MOST_KEYS / 4, SampledRate.MOST_KEYS);
        assertThat(report.oneOf()).isGreaterThanOrEqualTo(20);
        double keys =
                report.buckets().stream().mapToDouble(UseReport.Bucket::keys).sum();
        assertThat(keys).isCloseTo(20_000, within(5_000.0));
        double used =
                report.buckets().stream().mapToDouble(UseReport.Bucket::used).sum();
        assertThat(used).isCloseTo(20_600, within(6_000.0));
    }

    @Test
    void requestsOfMoreThanADayAgo_areForgotten() {
        check("alice", 8);
        pass(Duration.ofHours(12));
        check("bob", 2);
        assertThat(use.of("a").get(0).keys()).isEqualTo(2);
        pass(Duration.ofHours(12));
        check("bob", 2);
        UseReport report = use.of("a").get(0);
        assertThat(report.keys()).isEqualTo(1);
        assertThat(report.observed()).isEqualTo(Duration.ofHours(12));
        assertThat(refused(report, 5)).isZero();
    }

    @Test
    void requestsOfMoreThanADayAgo_areForgotten_alsoIfNoneFollowed() {
        check("alice", 8);
        pass(Duration.ofHours(24));
        assertThat(use.of("a").get(0).keys()).isZero();
        assertThat(use.of("a").get(0).buckets()).isEmpty();
    }

    @Test
    void limitsThatNoRequestMeetsForADay_makeRoom() {
        for (int i = 0; i < 2 * SampledUse.MOST_RATES; i++) {
            reconfigure("limits: [{ name: former-" + i + ", per: [user], rate: 50/min }]");
            check("alice", 1);
        }
        reconfigure("limits: [{ name: c, per: [user], rate: 50/min }]");
        check("alice", 1);
        assertThat(use.of("former-0")).isNotEmpty();
        assertThat(use.of("c")).isEmpty();
        pass(Duration.ofHours(24));
        check("alice", 1);
        assertThat(use.of("former-0")).isEmpty();
        assertThat(use.of("c")).isNotEmpty();
    }

    @Test
    void costsAboveTheGreatestNumber_areCountedAsThat() {
        long most = 1_000_000_000_000_000L;
        for (long used = 0; used <= Long.MAX_VALUE - most; used += most) {
            weir.check(new Request(Map.of("user", "alice"), most, Map.of()));
        }
        weir.check(new Request(Map.of("user", "alice"), most, Map.of()));
        UseReport report = use.of("a").get(0);
        assertThat(report.buckets()).singleElement().satisfies(bucket -> {
            assertThat(bucket.upTo()).isEqualTo(Long.MAX_VALUE);
            assertThat(bucket.keys()).isEqualTo(1);
        });
    }

    private void reconfigure(String yaml) {
        weir.reconfigure(
                new ConfigurationReader(name -> null).read("test.yaml", yaml).orThrow());
    }

    @Test
    void rateThatAReloadChanges_keepsItsUse_ifThePeriodIsTheSame() {
        check("alice", 8);
        reconfigure("limits: [{ name: a, per: [user], rate: [50/min, 9/day] }]");
        check("alice", 2);
        List<UseReport> reports = use.of("a");
        assertThat(reports)
                .extracting(UseReport::period)
                .containsExactly(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ofDays(1));
        assertThat(reports.get(0).buckets()).containsExactly(new UseReport.Bucket(10, 1, 10, 1));
    }
}

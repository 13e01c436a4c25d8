package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Limits that count requests by the status of their response, such as failed logins only. */
class StatusChargesTest {
    private static final Map<String, String> LOGIN = attributes("ip", "192.0.2.1", "path", "/login");

    private final PresetEngine engine = PresetEngine.yaml("""
            limits:
              - { name: requests, per: [ip], rate: 100/hour }
              - { name: failed, match: { path: /login }, per: [ip], rate: 3/hour, charge: on-status 401 }
              - { name: trial, match: { path: /login }, per: [ip], rate: 50/hour, charge: { on-status: 4xx }, shadow: true }
              - { name: guesses, per: [user], rate: 2/hour, charge: { on-status: [401, 403] } }
            """);

    private Outcome check(Map<String, String> attributes) {
        return engine.weir.check(Request.of(attributes).reportingStatus());
    }

    private boolean login(int status) {
        Outcome outcome = check(LOGIN);
        if (outcome.allowed()) {
            assertThat(outcome.awaitsStatus()).isTrue();
            assertThat(engine.weir.complete(outcome, status)).isTrue();
        }
        return outcome.allowed();
    }

    private long left(String limit) {
        return engine.weir.status(attributes("ip", "192.0.2.1", "path", "/login", "user", "u")).stream()
                .filter(result -> result.name().equals(limit))
                .findFirst()
                .orElseThrow()
                .remaining();
    }

    @Test
    void responseOfAnotherStatus_isGivenBack_andOtherLimitsKeepTheirCharge() {
        for (int i = 0; i < 10; i++) {
            assertThat(login(200)).isTrue();
        }

        assertThat(left("failed")).isEqualTo(3);
        assertThat(left("trial")).isEqualTo(50);
        assertThat(left("requests")).isEqualTo(90);
    }

    @Test
    void outcome_onceCompleted_showsWhatWasGivenBack() {
        login(401);
        Outcome outcome = check(LOGIN);
        assertThat(outcome.limits()).extracting(LimitResult::remaining).startsWith(98L, 1L);

        assertThat(outcome.completed(200).limits())
                .extracting(LimitResult::remaining)
                .startsWith(98L, 2L);
        assertThat(outcome.completed(401)).isSameAs(outcome);
        engine.weir.complete(outcome, 200);
        assertThat(left("failed")).isEqualTo(2);
        assertThat(outcome.completed(200).awaitsStatus()).isFalse();
    }

    @Test
    void responsesOfTheStatus_areCharged_andTheNextRefused() {
        assertThat(login(401)).isTrue();
        assertThat(login(401)).isTrue();
        assertThat(login(401)).isTrue();

        assertThat(login(200)).isFalse();
        assertThat(left("trial")).isEqualTo(47);
        assertThat(left("requests")).isEqualTo(97);
    }

    @Test
    void requestsInFlight_holdTheirCharge_untilTheirStatusIsKnown() {
        Outcome first = check(LOGIN);
        check(LOGIN);
        check(LOGIN);
        assertThat(check(LOGIN).allowed()).isFalse();

        engine.weir.complete(first, 200);
        engine.weir.complete(first, 200);

        assertThat(check(LOGIN).allowed()).isTrue();
        assertThat(check(LOGIN).allowed()).isFalse();
    }

    @Test
    void failuresAtTheSameTime_neverExceedTheLimit() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        AtomicInteger failures = new AtomicInteger();
        CountDownLatch start = new CountDownLatch(1);
        for (int i = 0; i < 40; i++) {
            int status = i % 2 == 0 ? 401 : 200;
            threads.execute(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                if (login(status) && status == 401) {
                    failures.incrementAndGet();
                }
            });
        }
        start.countDown();
        threads.shutdown();
        assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();

        assertThat(failures).hasValueLessThanOrEqualTo(3);
        assertThat(left("failed")).isEqualTo(3 - failures.get());
    }

    @Test
    void callerThatReportsNoStatus_isChargedAtOnce() {
        Outcome outcome = engine.weir.check(LOGIN);

        assertThat(outcome.awaitsStatus()).isFalse();
        assertThat(left("failed")).isEqualTo(2);
        engine.weir.complete(outcome, 200);
        assertThat(left("failed")).isEqualTo(2);
    }

    @Test
    void checkInTwoStages_holdsTheChargesOfBoth() {
        assertThat(stages(200).awaitsStatus()).isTrue();
        assertThat(left("failed")).isEqualTo(3);
        assertThat(left("guesses")).isEqualTo(2);

        stages(403);
        assertThat(left("failed")).isEqualTo(3);
        assertThat(left("guesses")).isEqualTo(1);
        assertThat(left("requests")).isEqualTo(98);

        stages(401);
        assertThat(left("failed")).isEqualTo(2);
        assertThat(left("guesses")).isZero();

        assertThat(stages(401).allowed()).isFalse();
        assertThat(left("failed")).isEqualTo(2);
        assertThat(left("requests")).isEqualTo(97);
    }

    @Test
    void checkThatEndsAfterItsFirstStage_isCompletedByThat() {
        TwoStageCheck check = engine.weir
                .checkInStages(Request.of(LOGIN).reportingStatus(), Set.of("user"))
                .now();
        check.leave();
        assertThat(left("failed")).isEqualTo(2);

        engine.weir.complete(check.first(), 200);
        assertThat(left("failed")).isEqualTo(3);
        assertThat(left("requests")).isEqualTo(99);
    }

    private Outcome stages(int status) {
        TwoStageCheck check = engine.weir
                .checkInStages(Request.of(LOGIN).reportingStatus(), Set.of("user"))
                .now();
        Outcome outcome = check.finish(attributes("user", "u")).now();
        engine.weir.complete(outcome, status);
        return outcome;
    }
}

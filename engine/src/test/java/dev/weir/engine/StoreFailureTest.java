package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Answer;
import dev.weir.Settlement;
import dev.weir.StoreException;
import dev.weir.engine.event.Event;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.spi.Backend;
import dev.weir.testkit.FailureInjectingStore;
import dev.weir.testkit.FailureInjectingStore.Behavior;
import dev.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Behavior when the store hangs, throws, is slow, and recovers. Timeouts and pauses are real, and short. */
@Timeout(300)
class StoreFailureTest {
    private static final String CONFIGURATION = """
            limits:
              - { name: secure, match: { kind: secure }, per: [user], rate: 5/min }
              - { name: open, match: { kind: [open, secure] }, per: [user], rate: 5/min, on-store-failure: allow }
              - { name: trial, match: { kind: trial }, per: [user], rate: 1/min, shadow: true }
              - { name: slots, per: [user], rate: 1, algorithm: concurrency }
              - { name: budget, per: [user], rate: 100/day, cost: tokens }
            penalty: { per: [agent] }
            """;

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final FakeClock clock = new FakeClock();
    private final FailureInjectingStore store = new FailureInjectingStore(
            MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock)));
    private final Weir weir = within(Duration.ofMillis(30));
    /** For a store that answers in time, however busy the machine is. */
    private final Weir waiting = within(Duration.ofMinutes(1));

    private Weir within(Duration deadline) {
        return Weir.of(
                PresetEngine.configuration(CONFIGURATION),
                store,
                new InMemorySettings(),
                WeirOptions.defaults().withGuard(new GuardOptions(deadline, 3, PAUSE)));
    }

    @AfterEach
    void close() {
        weir.close();
        waiting.close();
    }

    private Outcome check(String kind) {
        return check(weir, kind);
    }

    private static Outcome check(Weir engine, String kind) {
        return engine.check(Map.of("user", "u", "kind", kind));
    }

    @ParameterizedTest
    @EnumSource(
            value = Behavior.class,
            names = {"HELD", "THROWS", "BREAKS", "FAILS", "FAILS_LATER"})
    void failingStore_isAnsweredForByEachLimit(Behavior behavior) {
        store.be(behavior);
        Outcome secure = check("secure");
        assertThat(secure.allowed()).isFalse();
        assertThat(secure.reason()).isEqualTo(Reason.UNAVAILABLE);
        assertThat(secure.retryAfter()).isEqualTo(Duration.ofSeconds(60));
        assertThat(secure.decisive().name()).isEqualTo("secure");
        assertThat(secure.limits())
                .as("the limit that fails open did not refuse")
                .hasSize(1);
        Outcome open = check("open");
        assertThat(open.allowed()).isTrue();
        assertThat(open.reason()).as("visible all the same").isEqualTo(Reason.UNAVAILABLE);
        assertThat(open.decisive()).as("no limit refused, and none is known").isNull();
        assertThat(check("else").isUntouched())
                .as("where no limit applies, none can fail")
                .isTrue();
        assertThat(check("trial").allowed()).as("a shadow never refuses").isTrue();
        assertThat(weir.counts().unavailableDenied()).isEqualTo(1);
        assertThat(weir.counts().unavailableAllowed()).isEqualTo(1);
    }

    @Test
    void hangingStore_isWaitedForOnlyUntilItIsGivenUp() {
        store.be(Behavior.HELD);
        for (int i = 0; i < 3; i++) {
            check("secure");
        }
        assertThat(weir.store().isCircuitOpen()).isTrue();
        int calls = store.calls();
        long begun = System.nanoTime();
        for (int i = 0; i < 1000; i++) {
            assertThat(check("secure").reason()).isEqualTo(Reason.UNAVAILABLE);
        }
        long pauses = (System.nanoTime() - begun) / PAUSE.toNanos();
        assertThat((long) store.calls() - calls).as("one after each pause").isLessThanOrEqualTo(pauses + 1);
    }

    @Test
    void deadline_isTheOneThatTheStoreAskedFor() {
        FailureInjectingStore slow = new FailureInjectingStore();
        slow.be(Behavior.HELD);
        try (Weir patient = withDeadline(slow, Duration.ofSeconds(20));
                Weir hasty = withDeadline(slow, Duration.ofMillis(5))) {
            Request request = Request.of(Map.of("user", "u", "kind", "secure", "agent", "a"));
            Answer<Outcome> awaited = patient.checkAsync(request);
            assertThat(hasty.check(request).reason()).isEqualTo(Reason.UNAVAILABLE);
            await("longer than the usual deadline")
                    .during(100, TimeUnit.MILLISECONDS)
                    .until(() -> !awaited.isDone());
            slow.releaseAll();
            assertThat(awaited.await(Duration.ofSeconds(20)).allowed()).isTrue();
        }
    }

    private static Weir withDeadline(FailureInjectingStore store, Duration deadline) {
        store.need(deadline);
        return Weir.of(
                PresetEngine.configuration(CONFIGURATION),
                new Backend(store, new InMemorySettings()),
                WeirOptions.defaults());
    }

    @Test
    void storeThatComesBack_isUsedAgainByItself() {
        List<Event> events = new CopyOnWriteArrayList<>();
        weir.events().subscribe("test", 1000, events::add);
        store.be(Behavior.FAILS);
        for (int i = 0; i < 9; i++) {
            check("secure");
        }
        store.be(Behavior.WELL);
        await().until(() -> check("secure").reason() == Reason.ALLOWED);
        assertThat(weir.store().isCircuitOpen()).isFalse();
        await().untilAsserted(() -> {
            assertThat(events)
                    .filteredOn(Event.StoreUnavailable.class::isInstance)
                    .hasSize(1);
            assertThat(events)
                    .filteredOn(Event.StoreRecovered.class::isInstance)
                    .hasSize(1);
        });
        assertThat(((Event.StoreUnavailable) events.stream()
                                .filter(Event.StoreUnavailable.class::isInstance)
                                .findFirst()
                                .orElseThrow())
                        .cause())
                .as("a longer timeout makes no connection")
                .isEqualTo("FailureInjectingStore failed: connection reset; see that it runs and can be reached");
    }

    @Test
    void lateStore_isNamed_withTheDeadlineAndTheRemedy_inTheLogAndInFailures() {
        String late =
                "FailureInjectingStore did not answer within 30ms; see that it runs and can be reached or, if it is slow, raise"
                        + " the engine's deadline (GuardOptions.withDeadline)";
        store.be(Behavior.HELD);
        try (LogLines log = new LogLines()) {
            assertThatThrownBy(() -> weir.reset(Map.of("user", "u")))
                    .isInstanceOf(StoreException.class)
                    .hasMessage(late);
            check("secure");
            check("secure");
            assertThatThrownBy(() -> weir.reset(Map.of("user", "u"))).hasMessage("the store does not answer: " + late);
            assertThat(log.with("temporarily unavailable"))
                    .isNotEmpty()
                    .allMatch(line -> line.endsWith("without the store (" + late + ")"));
            assertThat(log.with("circuit breaker is open"))
                    .containsExactly("the circuit breaker is open; calls fail until the store answers again: " + late);
        } finally {
            store.releaseAll();
        }
    }

    @Test
    void storeThatComesBack_isFoundByWhoeverAsksWhetherItIsThere() {
        store.be(Behavior.FAILS);
        for (int i = 0; i < 3; i++) {
            assertThat(weir.isStoreReachable()).isFalse();
        }
        assertThat(weir.store().isCircuitOpen()).isTrue();
        store.be(Behavior.WELL);
        await().until(() -> weir.isStoreReachable());
        assertThat(check("secure").allowed()).isTrue();
    }

    @Test
    void answerThatComesLate_isGivenBackIfTheRequestWasRefused() {
        store.be(Behavior.HELD);
        for (int i = 0; i < 2; i++) {
            assertThat(check("secure").allowed()).isFalse();
        }
        store.releaseAll();
        store.be(Behavior.WELL);
        Outcome first = check("secure");
        assertThat(first.limits().get(0).remaining())
                .as("a refused request spends nothing")
                .isEqualTo(4);
    }

    @Test
    void answerThatComesLate_countsIfTheRequestPassed() {
        store.be(Behavior.HELD);
        assertThat(check("open").allowed()).isTrue();
        store.releaseAll();
        store.be(Behavior.WELL);
        assertThat(check("open").decisive().remaining()).isEqualTo(3);
    }

    @Test
    void storeThatAnswersLater_isAwaitedAndDecidesTheSame() {
        store.be(Behavior.LATER);
        int allowed = 0;
        for (int i = 0; i < 9; i++) {
            allowed += check(waiting, "secure").allowed() ? 1 : 0;
        }
        assertThat(allowed).isEqualTo(5);
        List<Answer<Outcome>> answers = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            answers.add(waiting.checkAsync(Request.of(Map.of("user", "v", "kind", "secure", "agent", "a"))));
        }
        assertThat(answers.stream()
                        .filter(answer -> answer.await(Duration.ofMinutes(1)).allowed())
                        .count())
                .isEqualTo(5);
        assertThat(waiting.penaltyState("a").consecutiveViolations()).isEqualTo(4);
    }

    @Test
    void memoryStore_answersAtOnce() {
        Answer<Outcome> answer = weir.checkAsync(Request.of(Map.of("user", "u", "kind", "secure")));
        assertThat(answer.isDone()).isTrue();
        assertThat(answer).as("no future is made").isInstanceOf(Outcome.class);
    }

    @Test
    void refusal_standsWhenItsViolationCannotBeCounted() {
        for (int i = 0; i < 5; i++) {
            check("open");
        }
        // The limit is decided, and the store fails when the violation is counted.
        FailureInjectingStore between = store;
        Answer<Outcome> answer;
        between.be(Behavior.HELD);
        answer = weir.checkAsync(Request.of(Map.of("user", "u", "kind", "open", "agent", "a")));
        between.be(Behavior.FAILS);
        between.releaseAll();
        Outcome outcome = answer.await(Duration.ofSeconds(5));
        assertThat(outcome.allowed()).isFalse();
        assertThat(outcome.reason()).isEqualTo(Reason.LIMITED);
        assertThat(outcome.violations()).isZero();
    }

    @Test
    void shadowThatFails_isLeftOut() {
        store.be(Behavior.FAILS);
        Outcome outcome = check("trial");
        assertThat(outcome.allowed()).isTrue();
        assertThat(outcome.limits()).isEmpty();
    }

    @Test
    void reservationsAndLeases_failAsTheirLimitsSay() {
        store.be(Behavior.FAILS);
        Request request = new Request(Map.of("user", "u"), 1, Map.of("budget", 60L));
        Hold refused = weir.reserve(request, Duration.ofMinutes(1));
        assertThat(refused.granted()).isFalse();
        assertThat(refused.outcome().reason()).isEqualTo(Reason.UNAVAILABLE);
        store.be(Behavior.WELL);
        await().until(() -> weir.isStoreReachable());
        Hold held = weir.reserve(request, Duration.ofMinutes(1));
        assertThat(held.granted()).isTrue();
        store.be(Behavior.FAILS);
        assertThatThrownBy(() -> weir.settle(held.id(), Map.of("budget", 1L))).isInstanceOf(StoreException.class);
        store.be(Behavior.WELL);
        await().until(() -> weir.isStoreReachable());
        assertThat(weir.settle(held.id(), Map.of("budget", 1L))).isEqualTo(Settlement.DONE);
    }

    @Test
    void closeOfAHold_whoseStoreFails_failsNoCaller() {
        Request request = new Request(Map.of("user", "u"), 1, Map.of("budget", 60L));
        Hold unsettled = weir.reserve(request, Duration.ofMinutes(1));
        Hold lease = weir.acquire(Request.of(Map.of("user", "u")), Duration.ofMinutes(1));
        store.be(Behavior.FAILS);
        unsettled.close();
        lease.close();
        store.be(Behavior.WELL);
        assertThat(weir.settle(unsettled.id(), Map.of()))
                .as("nothing was cancelled")
                .isEqualTo(Settlement.DONE);
        assertThat(weir.release(lease.id())).isTrue();
    }

    @Test
    void closeOfAHold_whoseSettlementFailed_letsTheEstimateStand() {
        Hold held = weir.reserve(new Request(Map.of("user", "u"), 1, Map.of("budget", 60L)), Duration.ofMinutes(1));
        store.be(Behavior.FAILS);
        try (held) {
            assertThatThrownBy(() -> held.settle(Map.of("budget", 1L))).isInstanceOf(StoreException.class);
            store.be(Behavior.WELL);
        }
        assertThat(weir.settle(held.id(), Map.of())).as("nothing was cancelled").isEqualTo(Settlement.DONE);
    }

    @Test
    void leaseWhoseAnswerComesLate_isReleased() {
        store.be(Behavior.HELD);
        Request request = Request.of(Map.of("user", "u"));
        assertThat(weir.acquire(request, Duration.ofMinutes(1)).granted()).isFalse();
        store.releaseAll();
        store.be(Behavior.WELL);
        assertThat(weir.acquire(request, Duration.ofMinutes(1)).granted())
                .as("the slot is free")
                .isTrue();
    }

    @Test
    void scheduler_goesOnWithoutTheStore() {
        store.be(Behavior.FAILS);
        assertThat(weir.withoutThrottled(List.of("a", "b"), agent -> agent)).containsExactly("a", "b");
    }

    @Test
    void misuse_isNoFailureOfTheStore() {
        Hold held = waiting.reserve(new Request(Map.of("user", "u"), 1, Map.of("budget", 1L)), Duration.ofMinutes(1));
        for (Behavior behavior : List.of(Behavior.WELL, Behavior.LATER)) {
            store.be(behavior);
            for (int i = 0; i < 9; i++) {
                assertThatThrownBy(() -> waiting.settle(held.id(), Map.of("other", 1L)))
                        .as("%s", behavior)
                        .isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(waiting.store().isCircuitOpen()).isFalse();
        }
    }
}

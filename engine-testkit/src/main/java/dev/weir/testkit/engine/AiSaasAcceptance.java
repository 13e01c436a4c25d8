package dev.weir.testkit.engine;

import static dev.weir.testkit.engine.PresetUnderTest.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.engine.Hold;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import dev.weir.engine.Reason;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.event.CloudEvent;
import dev.weir.engine.event.Event;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.testkit.ParallelThreads;
import dev.weir.testkit.history.StoreOnFakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Acceptance tests of reference system B that need no server: its preset, on a store with a fake clock. */
@NullUnmarked // what is null where it must not be fails a test
public abstract class AiSaasAcceptance {
    private static final Duration TTL = Duration.ofMinutes(5);

    private final PresetUnderTest saas = new PresetUnderTest("ai-saas", newStore());

    /** Creates a new and empty store. */
    protected abstract StoreOnFakeClock newStore();

    /** Creates a new and empty store that the test can stop. */
    protected abstract StoppableStore newMortal();

    /** A store, and the action that makes it stop answering. */
    public record StoppableStore(Store store, Runnable death) {}

    @AfterEach
    void close() {
        saas.close();
    }

    private LimitResult status(String limit, String user, String plan) {
        return saas.weir.status(attributes("user", user, "plan", plan)).stream()
                .filter(result -> result.name().equals(limit))
                .findFirst()
                .orElseThrow();
    }

    private Hold reserve(String user, String plan, long tokens) {
        return saas.weir.reserve(
                new Request(attributes("user", user, "plan", plan), 1, Map.of("ai_tokens", tokens)), TTL);
    }

    @Test
    void B1_fourLayersAreDecidedTogetherOutermostFirst() {
        Outcome outcome = saas.check("ip", "203.0.113.1", "user", "u", "plan", "annual", "path", "/api/ai/completions");
        assertThat(outcome.limits())
                .extracting(LimitResult::name)
                .containsExactly("global", "ip", "general", "ai_completions");
        assertThat(outcome.limits()).extracting(LimitResult::scope).containsExactly("global", "ip", "user", "user");
    }

    @Test
    void B1_aDeniedRequestConsumesNothingFromAnyLayer() {
        String[] request = {"ip", "203.0.113.1", "user", "u", "plan", "free", "path", "/api/ai/x"};
        assertThat(saas.allowed(50, request)).isEqualTo(5);
        Outcome refused = saas.check(request);
        assertThat(refused.decisive().name()).isEqualTo("ai_completions");
        assertThat(refused.limits()).extracting(LimitResult::remaining).containsExactly(9_995L, 95L, 55L, 0L);
    }

    @Test
    void B1_theOutermostLimitThatDeniesIsReported() {
        for (int i = 0; i < 100; i++) {
            assertThat(saas.check("ip", "203.0.113.1", "user", "u" + i, "plan", "free", "path", "/api/x")
                            .allowed())
                    .isTrue();
        }
        for (int i = 0; i < 5; i++) {
            saas.check("user", "u", "plan", "free", "path", "/api/ai/x");
        }
        Outcome refused = saas.check("ip", "203.0.113.1", "user", "u", "plan", "free", "path", "/api/ai/x");
        assertThat(refused.decisive().scope()).isEqualTo("ip");
    }

    @ParameterizedTest
    @CsvSource({
        "general, /api/things, 60, 300, 600",
        "session, /api/sessions, 30, 100, 300",
        "conversation, /api/conversations/7/messages, 10, 30, 60",
        "ai_completions, /api/ai/complete, 5, 15, 30",
        "export, /api/export, 0, 10, 50"
    })
    void B2_eachPlanHasItsLimits(String limit, String path, int free, int monthly, int annual) {
        assertThat(saas.allowed(700, "user", "f", "plan", "free", "path", path)).isEqualTo(free);
        assertThat(saas.allowed(700, "user", "m", "plan", "monthly", "path", path))
                .isEqualTo(monthly);
        assertThat(saas.allowed(700, "user", "a", "plan", "annual", "path", path))
                .isEqualTo(annual);
        assertThat(saas.allowed(700, "user", "x", "plan", "platinum", "path", path))
                .as("an unknown plan is free")
                .isEqualTo(free);
        assertThat(saas.allowed(700, "user", "y", "path", path))
                .as("no plan is free")
                .isEqualTo(free);
        assertThat(saas.check("user", "f", "plan", "free", "path", path)
                        .decisive()
                        .name())
                .isEqualTo(limit);
    }

    @ParameterizedTest
    @CsvSource({"free, 10000, 1", "monthly, 100000, 3", "annual, 500000, 10"})
    void B2_eachPlanHasItsTokensAndConnections(String plan, long tokens, int connections) {
        assertThat(saas.check("user", "u", "plan", plan, "tokens", Long.toString(tokens))
                        .allowed())
                .isTrue();
        assertThat(saas.check("user", "u", "plan", plan, "tokens", "1").allowed())
                .isFalse();
        int granted = 0;
        for (int i = 0; i < 20; i++) {
            granted += saas.weir
                            .acquire(Request.of(attributes("user", "u", "plan", plan)), TTL)
                            .granted()
                    ? 1
                    : 0;
        }
        assertThat(granted).isEqualTo(connections);
    }

    @Test
    void B3_theLayersThatKnowNoUserHaveTheirNumbers() {
        assertThat(saas.allowed(200, "ip", "203.0.113.1", "path", "/api/x")).isEqualTo(100);
        assertThat(saas.allowed(200, "ip", "203.0.113.2", "path", "/api/auth/login"))
                .isEqualTo(10);
        assertThat(saas.allowed(1_200, "path", "/api/webhooks/stripe")).isEqualTo(1_000);
        int global = saas.allowed(11_000, "path", "/health");
        assertThat(global + 100 + 10 + 1_000).isEqualTo(10_000);
        assertThat(saas.check("path", "/health").decisive().name()).isEqualTo("global");
    }

    @Test
    void B4_checkConsumesStatusDoesNotResetMakesWhole() {
        saas.allowed(7, "user", "u", "plan", "free");
        assertThat(status("general", "u", "free").remaining()).isEqualTo(53);
        assertThat(status("general", "u", "free").remaining()).isEqualTo(53);
        saas.weir.reset(attributes("user", "u", "plan", "free"));
        assertThat(status("general", "u", "free").remaining()).isEqualTo(60);
    }

    @Test
    void B4_aBadKeyIsAClearErrorAndNeverASilentPass() {
        assertThatIllegalArgumentException().isThrownBy(() -> saas.check("user", null));
        assertThatIllegalArgumentException().isThrownBy(() -> saas.check("", "x"));
        assertThatIllegalArgumentException().isThrownBy(() -> saas.check("user", "x".repeat(100_000)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> saas.weir.check(new Request(Map.of("user", "u"), 1, Map.of("ai_tokns", 5L))))
                .withMessageContaining("ai_tokns");
    }

    @Test
    void B4_keysNeverMeet() {
        assertThat(saas.allowed(99, "user", "a:b", "plan", "free")).isEqualTo(60);
        assertThat(saas.allowed(99, "user", "a", "plan", "free")).isEqualTo(60);
        assertThat(saas.allowed(99, "user", "a%003Ab", "plan", "free")).isEqualTo(60);
        assertThat(saas.allowed(99, "user", ":", "plan", "free")).isEqualTo(60);
    }

    @ParameterizedTest
    @CsvSource({
        "/api/conversations/1/messages, conversation",
        "/api/conversations/messages, conversation",
        "/api/conversations/1/messages/2?x=1, conversation",
        "/v1/ai/chat, ai_completions",
        "/v1/completions, ai_completions",
        "/api/sessions/5, session",
        "/api/reports/export, export",
        "/api/exports, export"
    })
    void B6_pathsAreClassedByRules(String path, String resource) {
        assertThat(saas.check("user", "u", "plan", "annual", "path", path).derived())
                .containsEntry("resource", resource);
    }

    /** The fraction of a token that has already refilled is never lost. */
    @Test
    void B5_polledFasterThanItRefills_neitherStarvesNorGains() {
        assertThat(saas.allowed(99, "user", "u", "plan", "free")).isEqualTo(60);
        int admitted = 0;
        for (int i = 0; i < 1_000; i++) {
            saas.trial.advance(Duration.ofMillis(7));
            admitted += saas.check("user", "u", "plan", "free").allowed() ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(7);
    }

    @Test
    void B6_theAnswerHasWhatTheHeadersSay() {
        Outcome outcome = saas.check("user", "u", "plan", "free");
        LimitResult tightest = outcome.decisive();
        assertThat(tightest.capacity()).isEqualTo(60);
        assertThat(tightest.remaining()).isEqualTo(59);
        assertThat(tightest.resetAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(tightest.window()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void B7_askingWhetherTokensFitSpendsNothing() {
        saas.check("user", "u", "plan", "free", "tokens", "4000");
        Request fits = new Request(attributes("user", "u", "plan", "free"), 1, Map.of("ai_tokens", 6_000L));
        assertThat(saas.weir.peek(fits).allowed()).isTrue();
        Request exceeds = new Request(attributes("user", "u", "plan", "free"), 1, Map.of("ai_tokens", 6_001L));
        LimitResult answer = saas.weir.peek(exceeds).decisive();
        assertThat(answer.capacity()).isEqualTo(10_000);
        assertThat(answer.capacity() - answer.remaining()).as("consumed").isEqualTo(4_000);
        assertThat(answer.cost()).as("requested").isEqualTo(6_001);
        assertThat(answer.resetAfter()).isEqualTo(Duration.ofDays(1));
        assertThat(status("ai_tokens", "u", "free").remaining()).isEqualTo(6_000);
    }

    @Test
    void B7_reserveSettleCancelExpire() {
        Hold settled = reserve("u", "free", 3_000);
        assertThat(saas.weir.settle(settled.id(), Map.of("ai_tokens", 431L))).isEqualTo(Settlement.DONE);
        assertThat(status("ai_tokens", "u", "free").remaining()).isEqualTo(9_569);
        Hold cancelled = reserve("u", "free", 3_000);
        assertThat(saas.weir.cancel(cancelled.id())).isEqualTo(Settlement.DONE);
        assertThat(status("ai_tokens", "u", "free").remaining()).isEqualTo(9_569);
        Hold died = reserve("u", "free", 3_000);
        saas.trial.advance(TTL);
        assertThat(saas.weir.settle(died.id(), Map.of("ai_tokens", 1L))).isEqualTo(Settlement.UNKNOWN);
        assertThat(status("ai_tokens", "u", "free").remaining())
                .as("its estimate stands")
                .isEqualTo(6_569);
        Hold more = reserve("u", "free", 6_000);
        assertThat(saas.weir.settle(more.id(), Map.of("ai_tokens", 9_000L))).isEqualTo(Settlement.DONE);
        assertThat(reserve("u", "free", 1).granted()).as("in debt").isFalse();
    }

    @Test
    void B7_concurrentRequestsNeverReserveMoreThanTheBudget() {
        for (int round = 0; round < 20; round++) {
            String user = "user-" + round;
            assertThat(ParallelThreads.count(
                            8, 5, () -> reserve(user, "free", 500).granted()))
                    .isEqualTo(20);
        }
    }

    @Test
    void B8_connectionsAreTakenInOneStepAndFreeThemselves() {
        Request request = Request.of(attributes("user", "u", "plan", "monthly"));
        List<String> ids = new CopyOnWriteArrayList<>();
        long granted = ParallelThreads.count(8, 5, () -> {
            Hold hold = saas.weir.acquire(request, TTL);
            if (hold.granted()) {
                ids.add(hold.id());
            }
            return hold.granted();
        });
        assertThat(granted).isEqualTo(3);
        assertThat(saas.weir.release(ids.get(0))).isTrue();
        assertThat(saas.weir.release(ids.get(0))).isFalse();
        assertThat(saas.weir.acquire(request, TTL).granted()).isTrue();
        assertThat(saas.weir.acquire(request, TTL).granted()).isFalse();
        saas.trial.advance(TTL);
        assertThat(saas.weir.acquire(request, TTL).granted())
                .as("the node that held them is dead")
                .isTrue();
    }

    @Test
    void B9_refusalsAndUsedUpBudgetsAreCloudEvents() {
        List<Event> events = new CopyOnWriteArrayList<>();
        saas.weir.events().subscribe("test", 100, events::add);
        saas.check("user", "u", "plan", "free", "ip", "203.0.113.1", "tokens", "10001");
        saas.weir.events().close(Duration.ofSeconds(5));
        List<String> types = new ArrayList<>();
        events.forEach(event -> types.add(CloudEvent.of(event, "/weir").type()));
        assertThat(types).containsExactly("system.rate_limit_exceeded.v1", "membership.ai_token_budget_exhausted.v1");
        assertThat(CloudEvent.of(events.get(1), "/weir").json())
                .contains("\"user_id\":\"u\"", "\"tier\":\"free\"", "\"daily_limit\":10000");
    }

    @Test
    void B10_aCallerSeesEveryResourceOfItsPlan() {
        saas.check("user", "u", "plan", "monthly", "path", "/api/sessions");
        List<LimitResult> status = saas.weir.status(attributes("user", "u", "plan", "monthly"));
        assertThat(status)
                .extracting(LimitResult::name)
                .contains("general", "session", "conversation", "ai_completions", "ai_tokens", "export", "connections");
        LimitResult session = status("session", "u", "monthly");
        assertThat(session.row()).isEqualTo("monthly");
        assertThat(session.capacity()).isEqualTo(100);
        assertThat(session.remaining()).isEqualTo(99);
        assertThat(session.resetAfter()).isEqualTo(Duration.ofSeconds(36));
        assertThat(session.window()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void B12_withoutTheStoreRequestsAreDeniedForAMinute() {
        StoppableStore mortal = newMortal();
        try (Weir weir =
                Weir.of(saas.weir.configuration(), mortal.store(), new InMemorySettings(), PresetUnderTest.PATIENT)) {
            assertThat(weir.check(attributes("user", "u", "plan", "annual")).allowed())
                    .isTrue();
            mortal.death().run();
            for (int i = 0; i < 10; i++) {
                Outcome outcome = weir.check(attributes("user", "u", "plan", "annual"));
                assertThat(outcome.allowed()).isFalse();
                assertThat(outcome.reason()).isEqualTo(Reason.UNAVAILABLE);
                assertThat(outcome.retryAfter()).isEqualTo(Duration.ofSeconds(60));
            }
            assertThat(weir.counts().unavailableDenied()).isEqualTo(10);
        }
    }

    @Test
    void B13_aHighShareOfDeniedRequestsRaisesOneAlert() {
        List<Event.Alert> alerts = new CopyOnWriteArrayList<>();
        saas.weir.events().subscribe("test", 10_000, event -> {
            if (event instanceof Event.Alert alert) {
                alerts.add(alert);
            }
        });
        for (int second = 0; second < 60; second++) {
            saas.allowed(3, "user", "u", "plan", "free", "path", "/api/export");
            saas.check("user", "u", "plan", "free", "path", "/api/x");
            saas.trial.advance(Duration.ofSeconds(1));
        }
        await().untilAsserted(() -> assertThat(alerts).hasSize(1));
        assertThat(alerts.get(0).kind()).isEqualTo(Event.Alert.Kind.DENIED_SHARE);
        assertThat(alerts.get(0).threshold()).isEqualTo(50);
    }

    @Test
    void B14_aLimitOfZeroAlwaysDeniesAndIsNotRetryable() {
        Outcome outcome = saas.check("user", "u", "plan", "free", "path", "/api/export");
        assertThat(outcome.allowed()).isFalse();
        assertThat(outcome.reason()).isEqualTo(Reason.IMPOSSIBLE);
        assertThat(outcome.retryAfter()).isNull();
        assertThat(outcome.decisive().capacity()).isZero();
        saas.trial.advance(Duration.ofDays(365));
        assertThat(saas.check("user", "u", "plan", "free", "path", "/api/export")
                        .allowed())
                .isFalse();
    }
}

package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.Subscription;
import dev.weir.engine.http.HttpDecision;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits that refuse requests without the attributes of their key. */
class OnMissingTest {
    private static final Duration TTL = Duration.ofMinutes(1);

    private final PresetEngine engine = PresetEngine.yaml("""
            limits:
              - { name: everybody, per: [], rate: 10/hour }
              - { name: users, match: { path: "/api/**" }, per: [tenant, "user|device"], rate: 5/hour, on-missing: deny }
              - { name: rooms, per: [room], rate: 5/hour, on-missing: skip }
              - { name: slots, per: [user], rate: 1, algorithm: concurrency, on-missing: deny }
              - { name: trial, match: { path: /try }, per: [user], rate: 1/hour, shadow: true, on-missing: deny }
            """);

    @AfterEach
    void close() {
        engine.close();
    }

    private long spentOfAll() {
        return 10 - engine.weir.status(Map.of()).get(0).remaining();
    }

    @Test
    void request_withoutTheKey_isRefused_spendsNothing_andNamesWhatIsMissing() {
        Outcome outcome = engine.check("path", "/api/x", "tenant", "t");

        assertThat(outcome.allowed()).isFalse();
        assertThat(outcome.reason()).isEqualTo(Reason.IMPOSSIBLE);
        assertThat(outcome.retryAfter()).isNull();
        assertThat(outcome.missing()).containsExactly("user|device");
        assertThat(outcome.decisive()).satisfies(limit -> {
            assertThat(limit.name()).isEqualTo("users");
            assertThat(limit.scope()).isEqualTo("tenant+user|device");
            assertThat(limit.keyedBy()).containsExactly("tenant");
            assertThat(limit.capacity()).isEqualTo(5);
        });
        assertThat(spentOfAll()).isZero();
    }

    @Test
    void request_withTheKey_isDecidedAsUsual() {
        assertThat(engine.allowed(6, "path", "/api/x", "tenant", "t", "device", "d"))
                .isEqualTo(5);
        assertThat(engine.check("path", "/api/x", "tenant", "t", "device", "d").missing())
                .isEmpty();
    }

    @Test
    void request_thatTheLimitDoesNotMatch_passes_andSkipStaysTheDefault() {
        assertThat(engine.check("path", "/other").allowed()).isTrue();
        assertThat(engine.check().limits()).extracting(LimitResult::name).containsExactly("everybody");
    }

    @Test
    void document_saysWhy() throws Exception {
        Outcome outcome = engine.check("path", "/api/x");
        JsonNode document = new ObjectMapper().readTree(HttpDecision.document(outcome, 0));

        assertThat(document.get("reason").asText()).isEqualTo("impossible");
        assertThat(document.get("retry_after_ms").isNull()).isTrue();
        assertThat(document.get("missing")).extracting(JsonNode::asText).containsExactly("tenant", "user|device");
        assertThat(document.get("message").asText())
                .isEqualTo("Limit 'users' needs the attributes tenant, user|device, which this request lacks;"
                        + " waiting does not help");
    }

    @Test
    void peek_reserve_acquire_andAWholeCheck_refuseAlike() {
        Request request = Request.of(attributes("path", "/api/x", "tenant", "t"));

        assertThat(engine.weir.peek(request).missing()).containsExactly("user|device");
        Hold reserved = engine.weir.reserve(request, TTL);
        assertThat(reserved.outcome().missing()).containsExactly("user|device");
        assertThat(reserved.id()).isNull();
        Hold acquired = engine.weir.acquire(request, TTL);
        assertThat(acquired.outcome().missing()).containsExactly("user");
        assertThat(acquired.outcome().decisive().name()).isEqualTo("slots");
        assertThat(engine.weir.checkAsync(request, Set.of("users")).now().missing())
                .containsExactly("user|device");
        assertThat(spentOfAll()).isZero();
    }

    @Test
    void attribute_thatIsKnownInTheSecondStage_isNotMissingInTheFirst() {
        Request request = Request.of(attributes("path", "/api/x", "tenant", "t"));
        TwoStageCheck check = engine.weir.checkInStages(request, Set.of("user")).now();
        assertThat(check.first().allowed()).isTrue();
        assertThat(check.finish(attributes("user", "u")).now().allowed()).isTrue();
        assertThat(spentOfAll()).isEqualTo(1);
    }

    @Test
    void attribute_thatIsStillMissingInTheSecondStage_isRefused_andTheFirstGivenBack() {
        Request request = Request.of(attributes("path", "/api/x", "tenant", "t"));
        Outcome outcome = engine.weir
                .checkInStages(request, Set.of("user"))
                .now()
                .finish(Map.of())
                .now();
        assertThat(outcome.allowed()).isFalse();
        assertThat(outcome.missing()).containsExactly("user|device");
        assertThat(spentOfAll()).isZero();
    }

    @Test
    void attribute_thatCannotComeLater_isMissingInTheFirstStage() {
        Request request = Request.of(attributes("path", "/api/x"));
        TwoStageCheck check = engine.weir.checkInStages(request, Set.of("plan")).now();
        assertThat(check.first().missing()).containsExactly("tenant", "user|device");
        assertThat(spentOfAll()).isZero();
    }

    @Test
    void shadow_reportsWhatItWouldRefuse_andRefusesNothing() {
        Outcome outcome = engine.check("path", "/try");

        assertThat(outcome.allowed()).isTrue();
        assertThat(outcome.missing()).isEmpty();
        assertThat(outcome.limits())
                .filteredOn(LimitResult::shadow)
                .singleElement()
                .satisfies(limit -> {
                    assertThat(limit.name()).isEqualTo("trial");
                    assertThat(limit.allowed()).isFalse();
                });
        assertThat(counts("trial").shadowDenied()).isEqualTo(1);
    }

    @Test
    void refusal_isCountedAndPublished() {
        List<Event> events = new CopyOnWriteArrayList<>();
        try (Subscription subscription = engine.weir.events().subscribe("test", 16, events::add)) {
            engine.check("path", "/api/x");
            engine.weir.close();
        }
        assertThat(engine.weir.counts().impossible()).isEqualTo(1);
        assertThat(counts("users").denied()).isEqualTo(1);
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(((Event.Denied) event).limit()).isEqualTo("users");
            assertThat(((Event.Denied) event).reason()).isEqualTo("impossible");
        });
    }

    @Test
    void refusal_forAMissingAttribute_isNoViolation() {
        try (PresetEngine strict = PresetEngine.yaml("""
                limits:
                  - { name: users, per: [user], rate: 5/hour, on-missing: deny }
                penalty: { per: [agent] }
                """)) {
            assertThat(strict.check("agent", "a").violations()).isZero();
            assertThat(strict.weir.penaltyState("a")).isEqualTo(PenaltyState.NONE);
        }
    }

    private LimitCounts counts(String limit) {
        return engine.weir.counts().limits().stream()
                .filter(counts -> counts.limit().equals(limit))
                .findFirst()
                .orElseThrow();
    }
}

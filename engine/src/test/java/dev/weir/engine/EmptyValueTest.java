package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.event.Event;
import dev.weir.engine.event.Subscription;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An empty attribute counts as absent. */
class EmptyValueTest {
    private final PresetEngine engine = PresetEngine.yaml("""
            defaults: { tenant: public }
            penalty: { per: [agent], backoff: [1m], reset-after: 10m, enforce: true }
            limits:
              - { name: skips, match: { path: /skip }, per: [user], rate: 1/hour }
              - { name: denies, match: { path: /deny }, per: [user], rate: 1/hour, on-missing: deny }
              - { name: either, match: { path: /either }, per: ["user|ip"], rate: 1/hour }
              - { name: tenants, match: { path: /tenant }, per: [tenant], rate: 1/hour }
              - { name: tokens, match: { path: /tokens }, per: [], rate: 5/hour, cost: tokens }
              - { name: root, match: { path: / }, per: [], rate: 1/hour }
            """);

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void limit_perThatAttribute_isSkipped() {
        assertThat(engine.check("path", "/skip", "user", "").isUntouched()).isTrue();
        assertThat(engine.weir.skippedLimits()).singleElement().satisfies(skipped -> {
            assertThat(skipped.missing()).containsExactly("user");
            assertThat(skipped.carried()).as("what is empty is not carried").containsExactly("path");
        });
    }

    @Test
    void limit_thatDeniesMissingAttributes_refuses() {
        Outcome refused = engine.check("path", "/deny", "user", "");
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.missing()).containsExactly("user");
    }

    @Test
    void alternative_andDefault_takeItsPlace() {
        assertThat(engine.check("path", "/either", "user", "", "ip", "192.0.2.1")
                        .decisive()
                        .keyedBy())
                .containsExactly("ip");
        assertThat(engine.check("path", "/tenant").allowed()).isTrue();
        assertThat(engine.check("path", "/tenant", "tenant", "").allowed())
                .as("the default tenant's second request")
                .isFalse();
    }

    @Test
    void cost_thatIsEmpty_isNone() {
        assertThat(engine.check("path", "/tokens", "tokens", "").isUntouched()).isTrue();
    }

    @Test
    void path_thatIsEmpty_isTheRoot() {
        assertThat(engine.check("path", "").decisive().name()).isEqualTo("root");
        assertThat(engine.check("path", "/").allowed()).isFalse();
    }

    @Test
    void secondStage_readsItLikeTheFirst() {
        Request early = Request.of(attributes("path", "/either", "ip", "192.0.2.1"));
        TwoStageCheck check = engine.weir.checkInStages(early, Set.of("user")).now();
        assertThat(check.finish(Map.of("user", "")).now().decisive().keyedBy()).containsExactly("ip");
    }

    @Test
    void penalty_strikesNobodyWithoutAName() {
        engine.allowed(2, "path", "/tenant", "agent", "");
        assertThat(engine.check("path", "/tenant", "agent", "").reason()).isEqualTo(Reason.LIMITED);
    }

    @Test
    void event_leavesItOut() throws Exception {
        List<Event> events = new CopyOnWriteArrayList<>();
        try (Subscription subscription = engine.weir.events().subscribe("test", 10, events::add)) {
            engine.check("path", "/deny", "user", "");
            Awaitility.await().until(() -> !events.isEmpty());
        }
        assertThat(((Event.Denied) events.get(0)).attributes()).doesNotContainKey("user");
    }

    @Test
    void request_doesNotChangeWhatItWasGiven_andKeepsTheRest() {
        Map<String, String> given = attributes("user", "", "ip", "192.0.2.1");
        assertThat(Request.of(given).attributes()).containsOnlyKeys("ip");
        assertThat(given).containsEntry("user", "");
    }
}

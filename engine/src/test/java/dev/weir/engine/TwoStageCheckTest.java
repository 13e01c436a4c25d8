package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import dev.weir.testkit.FailureInjectingStore;
import dev.weir.testkit.FailureInjectingStore.Behavior;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Checks whose user becomes known only later. */
class TwoStageCheckTest {
    private static final Set<String> USER = Set.of("user", "plan");

    private final PresetEngine engine = PresetEngine.yaml("""
            defaults: { plan: free }
            classify:
              - { set: kind, from: plan, values: { paying: [pro] }, default: other }
            exempt: { user: [root] }
            limits:
              - { name: everybody, per: [], rate: 10/hour }
              - { name: ip, per: [ip], rate: 5/hour, warn: 20% }
              - { name: user, per: [user], by: plan, rate: { pro: 4/hour, default: 2/hour } }
              - { name: kind, match: { kind: paying }, per: [], rate: 1/hour }
              - { name: either, per: ["user|ip"], rate: 9/hour }
              - { name: trial, per: [ip], rate: 1/hour, shadow: true }
            """);

    private TwoStageCheck begin() {
        return engine.weir
                .checkInStages(Request.of(attributes("ip", "192.0.2.1")), USER)
                .now();
    }

    private long left(String limit) {
        return engine.weir.status(attributes("ip", "192.0.2.1", "user", "u")).stream()
                .filter(result -> result.name().equals(limit))
                .findFirst()
                .orElseThrow()
                .remaining();
    }

    @Test
    void theFirstStage_asksOnlyWhatDependsOnNothingUnknown() {
        TwoStageCheck check = begin();
        assertThat(check.first().allowed()).isTrue();
        assertThat(check.first().limits()).extracting(LimitResult::name).containsExactly("everybody", "ip", "trial");
        assertThat(engine.weir.counts().allowed()).isZero();
    }

    @Test
    void theSecondStage_answersForAll_asOneDecision() {
        Outcome outcome = begin().finish(attributes("user", "u", "plan", "pro")).now();
        assertThat(outcome.limits())
                .extracting(LimitResult::name)
                .containsExactly("everybody", "ip", "user", "kind", "either", "trial");
        assertThat(outcome.limits()).extracting(LimitResult::remaining).containsExactly(9L, 4L, 3L, 0L, 8L, 0L);
        assertThat(outcome.warnings()).extracting(Warning::name).containsExactly("ip");
        assertThat(engine.weir.counts().allowed()).isEqualTo(1);
        assertThat(engine.weir.counts().limits())
                .filteredOn(counts -> counts.limit().equals("ip"))
                .allMatch(counts -> counts.allowed() == 1);
    }

    @Test
    void aRefusalOfTheSecondStage_givesTheFirstBack() {
        for (int i = 0; i < 2; i++) {
            assertThat(begin().finish(attributes("user", "u")).now().allowed()).isTrue();
        }
        Outcome refused = begin().finish(attributes("user", "u")).now();
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.decisive().name()).isEqualTo("user");
        assertThat(refused.limits()).extracting(LimitResult::remaining).startsWith(8L, 3L, 0L);
        assertThat(left("everybody")).isEqualTo(8);
        assertThat(left("ip")).isEqualTo(3);
        assertThat(engine.weir.counts().limited()).isEqualTo(1);
    }

    @Test
    void aRefusalOfTheFirstStage_isTheOutcome() {
        for (int i = 0; i < 5; i++) {
            begin().leave();
        }
        TwoStageCheck check = begin();
        assertThat(check.first().allowed()).isFalse();
        assertThat(engine.weir.counts().limited()).isEqualTo(1);
        check.leave();
        assertThat(engine.weir.counts().allowed()).isEqualTo(5);
        assertThatIllegalStateException().isThrownBy(() -> check.finish(Map.of()));
    }

    @Test
    void theExempt_getTheFirstStageBack() {
        Outcome outcome = begin().finish(attributes("user", "root")).now();
        assertThat(outcome.isUntouched()).isTrue();
        assertThat(left("everybody")).isEqualTo(10);
        assertThat(left("trial")).isEqualTo(1);
        assertThat(engine.weir.counts().untouched()).isEqualTo(1);
    }

    @Test
    void whatIsGivenBack_isNotCounted_andOnlyOnce() {
        TwoStageCheck check = begin();
        assertThat(check.giveBack().now()).isTrue();
        assertThat(check.giveBack().now()).isFalse();
        check.leave();
        assertThat(left("everybody")).isEqualTo(10);
        assertThat(engine.weir.counts().allowed()).isZero();
    }

    @Test
    void anOverrideForAUser_makesItsLimitWait() {
        engine.weir.change(new SettingsChange.PutOverride(
                "admin", Instant.EPOCH, new Subject("user", "u"), Map.of("ip", Map.of("default", "500/hour"))));
        TwoStageCheck check = begin();
        assertThat(check.first().limits()).extracting(LimitResult::name).doesNotContain("ip");
        Outcome outcome = check.finish(attributes("user", "u")).now();
        assertThat(outcome.limits())
                .filteredOn(result -> result.name().equals("ip"))
                .allMatch(result -> result.capacity() == 500);
    }

    @Test
    void attributesThatCannotBe_leaveTheCheckAsItWas() {
        TwoStageCheck check = begin();
        String tooLong = "x".repeat(10_000);
        assertThatIllegalArgumentException().isThrownBy(() -> check.finish(attributes("user", tooLong)));
        assertThat(check.finish(attributes("user", "u")).now().allowed()).isTrue();
    }

    @Test
    void aStoreElsewhere_isAskedOncePerStage() {
        FailureInjectingStore store = new FailureInjectingStore(MemoryStore.create());
        store.be(Behavior.LATER);
        try (Weir weir = Weir.of(
                PresetEngine.configuration("limits:\n  - { name: ip, per: [ip], rate: 5/hour }\n"
                        + "  - { name: user, per: [user], rate: 1/hour }"),
                store,
                new InMemorySettings())) {
            Request request = Request.of(attributes("ip", "192.0.2.1"));
            TwoStageCheck check = weir.checkInStages(request, USER).await(java.time.Duration.ofSeconds(5));
            assertThat(store.calls()).isEqualTo(1);
            assertThat(check.finish(attributes("user", "u"))
                            .await(java.time.Duration.ofSeconds(5))
                            .allowed())
                    .isTrue();
            assertThat(store.calls()).isEqualTo(2);
        }
    }

    @Test
    void aStoreThatFailsBetween_refuses() {
        FailureInjectingStore store = new FailureInjectingStore(MemoryStore.create());
        try (Weir weir = Weir.of(
                PresetEngine.configuration("limits:\n  - { name: ip, per: [ip], rate: 5/hour }\n"
                        + "  - { name: user, per: [user], rate: 1/hour }"),
                store,
                new InMemorySettings())) {
            TwoStageCheck check = weir.checkInStages(Request.of(attributes("ip", "192.0.2.1")), USER)
                    .now();
            store.be(Behavior.FAILS);
            Outcome outcome = check.finish(attributes("user", "u")).now();
            assertThat(outcome.allowed()).isFalse();
            assertThat(outcome.reason()).isEqualTo(Reason.UNAVAILABLE);
        }
    }
}

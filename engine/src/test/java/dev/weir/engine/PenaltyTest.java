package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PenaltyTest {
    private static PresetEngine engine(String more) {
        return PresetEngine.yaml("""
                limits:
                  - { name: a, per: [agent], rate: 60/min }
                  - { name: heavy, match: { action: heavy }, per: [agent], rate: 1/hour }
                penalty: { per: [agent], backoff: [1s, 2s, 5s], reset-after: 60s%s }
                """.formatted(more));
    }

    @Test
    void told_isNeverLessThanTheTrueWaitAndInWholeSeconds() {
        PresetEngine engine = engine("");
        engine.allowed(60, "agent", "x");
        engine.clock.advance(Duration.ofMillis(300));
        Outcome first = engine.check("agent", "x");
        assertThat(first.violations()).isEqualTo(1);
        assertThat(first.retryAfter()).isEqualTo(Duration.ofSeconds(1));
        engine.check("agent", "y", "action", "heavy");
        assertThat(engine.check("agent", "y", "action", "heavy").retryAfter()).isEqualTo(Duration.ofHours(1));
    }

    /**
     * Penalty waits are whole seconds, and the longer of the two waits counts. Subjects without a penalty get the exact
     * wait.
     */
    @Test
    void told_withATrueWaitBeyondTheBackoff_isThatInWholeSeconds_andExactWhereThePenaltyDoesNotCount() {
        PresetEngine engine = PresetEngine.yaml("""
                limits: [{ name: a, rate: 1/min }]
                penalty: { per: [agent], backoff: [500ms, 2s] }
                """);
        engine.check();
        engine.clock.advance(Duration.ofMillis(300));
        assertThat(engine.check("agent", "x").retryAfter()).isEqualTo(Duration.ofSeconds(60));
        assertThat(engine.check().retryAfter())
                .as("nobody whom the penalty knows")
                .isEqualTo(Duration.ofMillis(59_700));
        assertThat(engine.weir.peek(attributes("agent", "y")).retryAfter())
                .as("a look is no violation")
                .isEqualTo(Duration.ofMillis(59_700));
    }

    @Test
    void notEnforced_whatFitsIsAdmittedDuringTheBackoff() {
        PresetEngine engine = engine("");
        engine.allowed(61, "agent", "x");
        engine.clock.advance(Duration.ofSeconds(1));
        assertThat(engine.check("agent", "x").allowed()).isTrue();
        assertThat(engine.weir.penaltyState("x").throttled())
                .as("one success does not forgive")
                .isTrue();
    }

    @Test
    void enforced_everythingIsRefusedUntilTheBackoffHasPassed() {
        PresetEngine engine = engine(", enforce: true");
        engine.allowed(60, "agent", "x");
        assertThat(engine.check("agent", "x").reason()).isEqualTo(Reason.LIMITED);
        Outcome penalized = engine.check("agent", "x");
        assertThat(penalized.reason()).isEqualTo(Reason.PENALIZED);
        assertThat(penalized.retryAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(penalized.violations()).as("waiting is not punished").isEqualTo(1);
        engine.clock.advance(Duration.ofMillis(999));
        assertThat(engine.check("agent", "x").reason()).isEqualTo(Reason.PENALIZED);
        engine.clock.advance(Duration.ofMillis(1));
        assertThat(engine.check("agent", "x").allowed()).isTrue();
        assertThat(engine.check("agent", "x").retryAfter()).isEqualTo(Duration.ofSeconds(2));
        engine.clock.advance(Duration.ofSeconds(2));
        assertThat(engine.allowed(9, "agent", "x")).isEqualTo(2);
        assertThat(engine.check("agent", "x").retryAfter()).isEqualTo(Duration.ofSeconds(5));
        assertThat(engine.check("agent", "z").allowed())
                .as("others are left alone")
                .isTrue();
    }

    @Test
    void requestsWithoutASubject_areNotPunished() {
        PresetEngine engine = PresetEngine.yaml("limits: [{ name: a, rate: 1/min }]\npenalty: { per: [agent] }\n");
        engine.check();
        Outcome refused = engine.check();
        assertThat(refused.violations()).isZero();
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void subjects_areTheValuesOfPer() {
        PresetEngine engine =
                PresetEngine.yaml("limits: [{ name: a, rate: 0/min }]\npenalty: { per: [tenant, agent] }\n");
        engine.check("tenant", "t", "agent", "a");
        assertThat(engine.weir.penaltyState("t", "a").consecutiveViolations()).isEqualTo(1);
        assertThat(engine.weir.penaltyState("a", "t").throttled()).isFalse();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> engine.weir.penaltyState("t"))
                .withMessage("the subject has 1 values; it needs one for each of tenant, agent");
    }

    @Test
    void clearsAfter_countsDownFromTheLastViolation() {
        PresetEngine engine = engine("");
        engine.allowed(62, "agent", "x");
        engine.clock.advance(Duration.ofSeconds(20));
        PenaltyState penaltyState = engine.weir.penaltyState("x");
        assertThat(penaltyState).isEqualTo(new PenaltyState(2, Duration.ofSeconds(40)));
        assertThat(engine.weir.withoutThrottled(List.of("x", "y", "x"), agent -> agent))
                .containsExactly("y");
    }

    @Test
    void withoutAPenalty_everybodyIsInGoodStanding() {
        PresetEngine engine = PresetEngine.yaml("limits: [{ name: a, rate: 0/min }]\n");
        engine.check("agent", "x");
        assertThat(engine.weir.penaltyState("x").throttled()).isFalse();
        assertThat(engine.weir.withoutThrottled(List.of("x"), agent -> agent)).containsExactly("x");
    }
}

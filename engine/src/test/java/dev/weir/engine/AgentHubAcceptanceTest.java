package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.settings.SettingsChange;
import dev.weir.engine.settings.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Reference system A on the memory store, as far as it needs no server. */
class AgentHubAcceptanceTest {
    private final PresetEngine hub = PresetEngine.of("agent-hub");

    private Outcome act(String agent, String channel, String action) {
        return hub.check("agent", agent, "channel", channel, "action", action);
    }

    @Test
    void A1_bucketRefillsLazilyAndAClockThatStepsBackTakesNothing() {
        assertThat(hub.allowed(61, "agent", "a", "channel", "ws", "action", "message"))
                .isEqualTo(60);
        hub.clock.stepBack(Duration.ofHours(1));
        Outcome refused = act("a", "ws", "message");
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.retryAfter()).isPositive();
        hub.clock.advance(Duration.ofSeconds(1));
        assertThat(act("a", "ws", "message").allowed()).isTrue();
    }

    @Test
    void A2_actionsAreClassedAndAnUnclassedOneIsNormal() {
        assertThat(act("a", "ws", "ping").derived()).containsEntry("tier", "light");
        assertThat(act("a", "ws", "task_complete").derived()).containsEntry("tier", "normal");
        assertThat(act("a", "http", "task_submit").derived()).containsEntry("tier", "heavy");
        assertThat(act("a", "ws", "never_heard_of").derived()).containsEntry("tier", "normal");
    }

    @Test
    void A3_anAgentAtItsWebSocketLimitCanStillCallHttp() {
        assertThat(hub.allowed(61, "agent", "a", "channel", "ws", "action", "message"))
                .isEqualTo(60);
        assertThat(act("a", "http", "post_message").allowed()).isTrue();
        assertThat(act("a", "ws", "ping").allowed()).isTrue();
        assertThat(act("b", "ws", "message").allowed()).isTrue();
    }

    @Test
    void A4_defaultsAre120And60And10AMinute() {
        assertThat(hub.allowed(200, "agent", "a", "channel", "ws", "action", "ping"))
                .isEqualTo(120);
        assertThat(hub.allowed(200, "agent", "b", "channel", "ws", "action", "message"))
                .isEqualTo(60);
        assertThat(hub.allowed(200, "agent", "c", "channel", "http", "action", "task_submit"))
                .isEqualTo(10);
        hub.clock.advance(Duration.ofSeconds(6));
        assertThat(hub.allowed(200, "agent", "a", "channel", "ws", "action", "ping"))
                .isEqualTo(12);
        assertThat(hub.allowed(200, "agent", "c", "channel", "http", "action", "task_submit"))
                .isEqualTo(1);
    }

    @Test
    void A6_waitsGrowWithViolationsAndAreForgottenAfterAQuietMinute() {
        hub.allowed(60, "agent", "a", "channel", "ws", "action", "message");
        for (long seconds : new long[] {1, 2, 5, 10, 30, 30}) {
            Outcome refused = act("a", "ws", "message");
            assertThat(refused.reason()).isEqualTo(Reason.LIMITED);
            assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(seconds));
        }
        hub.clock.advance(Duration.ofSeconds(60));
        hub.allowed(60, "agent", "a", "channel", "ws", "action", "message");
        assertThat(act("a", "ws", "message").retryAfter()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void A6_aWaitIsNeverLessThanTheTrueOne() {
        hub.allowed(10, "agent", "a", "channel", "http", "action", "task_submit");
        assertThat(act("a", "http", "task_submit").retryAfter()).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void A7_warnsOnceWhenFourFifthsAreUsed() {
        int warned = 0;
        for (int i = 1; i <= 60; i++) {
            Outcome outcome = act("a", "ws", "message");
            if (!outcome.warnings().isEmpty()) {
                warned++;
                assertThat(i).isEqualTo(48);
                assertThat(outcome.allowed()).isTrue();
                assertThat(outcome.warnings()).containsExactly(new Warning("agent", 12, 60));
            }
        }
        assertThat(warned).isEqualTo(1);
    }

    @Test
    void A8_aSchedulerLeavesOutThrottledAgentsUntilTheyAreQuiet() {
        hub.allowed(11, "agent", "greedy", "channel", "http", "action", "task_submit");
        assertThat(hub.weir.standing("greedy").now().throttled()).isTrue();
        assertThat(hub.weir.withoutThrottled(List.of("greedy", "calm"), agent -> agent))
                .containsExactly("calm");
        hub.clock.advance(Duration.ofSeconds(60));
        assertThat(hub.weir.withoutThrottled(List.of("greedy", "calm"), agent -> agent))
                .containsExactly("greedy", "calm");
    }

    @Test
    void A9_anOverrideTakesEffectAtOnceAndStartsFresh() {
        hub.allowed(60, "agent", "a", "channel", "ws", "action", "message");
        assertThat(act("a", "ws", "message").allowed()).isFalse();
        hub.weir.change(new SettingsChange.PutOverride(
                "admin", hub.clock.wall(), new Subject("agent", "a"), Map.of("agent", Map.of("normal", "100/min"))));
        assertThat(hub.allowed(200, "agent", "a", "channel", "ws", "action", "message"))
                .isEqualTo(100);
        assertThat(hub.allowed(200, "agent", "b", "channel", "ws", "action", "message"))
                .isEqualTo(60);
    }

    @Test
    void A10_exemptAgentsAreNotLimitedAndTheDashboardAlwaysIsExempt() {
        assertThat(hub.allowed(500, "agent", "dashboard", "channel", "http", "action", "task_submit"))
                .isEqualTo(500);
        hub.weir.change(new SettingsChange.AddExempt("admin", hub.clock.wall(), new Subject("agent", "vip")));
        assertThat(hub.allowed(500, "agent", "vip", "channel", "ws", "action", "message"))
                .isEqualTo(500);
    }

    @Test
    void A15_withoutAnAgentTheAddressIsLimited() {
        assertThat(hub.allowed(100, "ip", "203.0.113.7", "path", "/api/agents")).isEqualTo(60);
        assertThat(hub.allowed(100, "ip", "203.0.113.8", "path", "/api/onboard/register"))
                .isEqualTo(5);
    }
}

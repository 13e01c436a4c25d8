package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.event.Event;
import dev.weir.engine.plan.UnclassifiedValueLog;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import dev.weir.testkit.ParallelThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Acceptance of reference system A on the memory store, without a server. */
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
        assertThat(hub.weir.penaltyState("greedy").throttled()).isTrue();
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

    @Test
    void A2_theClassListsAreComplete() {
        for (String light : List.of("ping", "list_agents", "list_channels", "status", "channel_history")) {
            assertThat(act("a", "ws", light).derived()).as(light).containsEntry("tier", "light");
        }
        for (String normal : List.of(
                "message",
                "channel_publish",
                "channel_subscribe",
                "channel_unsubscribe",
                "task_accepted",
                "task_progress",
                "task_complete",
                "task_failed",
                "task_recovering")) {
            assertThat(act("b", "ws", normal).derived()).as(normal).containsEntry("tier", "normal");
        }
        for (String heavy : List.of("channel_create", "task_submit", "identify")) {
            assertThat(act("c", "http", heavy).derived()).as(heavy).containsEntry("tier", "heavy");
        }
    }

    @Test
    void A2_anUnclassedActionIsLoggedOnce() {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(Weir.class.getName());
        logger.addHandler(handler);
        try {
            for (int i = 0; i < 5; i++) {
                act("a", "ws", "dance");
                act("b", "http", "sing\nFAKE LOG LINE");
            }
            for (int i = 0; i < 1000; i++) {
                act("c", "ws", "made-up-" + i);
            }
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(lines)
                .filteredOn(line -> line.contains("dance"))
                .containsExactly("no class of tier names the action 'dance'; it counts as normal");
        assertThat(lines).filteredOn(line -> line.contains("sing")).hasSize(1).noneMatch(line -> line.contains("\n"));
        assertThat(lines).as("nobody can fill the log").hasSize(UnclassifiedValueLog.MOST);
    }

    @Test
    void A5_aRefusalSaysHowLongAndWhichTier() {
        hub.allowed(10, "agent", "a", "channel", "ws", "action", "task_submit");
        Outcome refused = act("a", "ws", "task_submit");
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(6));
        assertThat(refused.derived()).containsEntry("tier", "heavy");
        assertThat(refused.decisive().capacity()).isEqualTo(10);
    }

    @Test
    void A8_clearsByItselfAndRunningWorkGoesOn() {
        hub.allowed(11, "agent", "greedy", "channel", "http", "action", "task_submit");
        assertThat(act("greedy", "ws", "task_progress").allowed())
                .as("what it has begun it may go on with")
                .isTrue();
        hub.clock.advance(Duration.ofSeconds(59));
        assertThat(hub.weir.penaltyState("greedy").throttled()).isTrue();
        hub.clock.advance(Duration.ofSeconds(1));
        assertThat(hub.weir.penaltyState("greedy").throttled()).isFalse();
    }

    @Test
    void A9_anOverrideReachesEveryNodeOfTheSameSettings() {
        Weir other = Weir.of(hub.weir.configuration(), hub.store, hub.settings);
        hub.weir.change(new SettingsChange.PutOverride(
                "admin", hub.clock.wall(), new Subject("agent", "a"), Map.of("agent", Map.of("heavy", "2/min"))));
        int allowed = 0;
        for (int i = 0; i < 9; i++) {
            allowed += other.check(PresetEngine.attributes("agent", "a", "channel", "ws", "action", "task_submit"))
                            .allowed()
                    ? 1
                    : 0;
        }
        assertThat(allowed).isEqualTo(2);
        assertThat(act("a", "ws", "task_submit").allowed())
                .as("the nodes share the counts")
                .isFalse();
    }

    @Test
    void A10_theExemptListIsManagedAtRunTime() {
        hub.weir.change(new SettingsChange.ReplaceExempt("admin", hub.clock.wall(), "agent", Set.of("x", "y")));
        assertThat(hub.allowed(50, "agent", "x", "channel", "ws", "action", "task_submit"))
                .isEqualTo(50);
        assertThat(hub.allowed(50, "agent", "dashboard", "channel", "ws", "action", "task_submit"))
                .isEqualTo(50);
        hub.weir.change(new SettingsChange.RemoveExempt("admin", hub.clock.wall(), new Subject("agent", "x")));
        assertThat(hub.allowed(50, "agent", "x", "channel", "ws", "action", "task_submit"))
                .isEqualTo(10);
    }

    @Test
    void A13_sustainedAbuseRaisesOneAlertPerEpisode() {
        List<Event.Alert> alerts = new CopyOnWriteArrayList<>();
        hub.weir.events().subscribe("test", 10_000, event -> {
            if (event instanceof Event.Alert alert) {
                alerts.add(alert);
            }
        });
        hub.allowed(10 + 9, "agent", "bad", "channel", "http", "action", "task_submit");
        hub.allowed(10 + 9, "agent", "other", "channel", "http", "action", "task_submit");
        hub.allowed(30, "agent", "bad", "channel", "http", "action", "task_submit");
        await().untilAsserted(() -> assertThat(alerts).hasSize(1));
        assertThat(alerts.get(0).subject()).containsExactly(Map.entry("agent", "bad"));
        assertThat(alerts.get(0).threshold()).isEqualTo(10);
        hub.clock.advance(Duration.ofMinutes(10));
        hub.allowed(10 + 30, "agent", "bad", "channel", "http", "action", "task_submit");
        await().untilAsserted(() -> assertThat(alerts).as("another episode").hasSize(2));
    }

    @Test
    void A14_everyCheckAndEveryViolationIsTold() {
        List<Event> events = new CopyOnWriteArrayList<>();
        hub.weir.events().subscribe("test", 10_000, events::add);
        hub.allowed(12, "agent", "a", "channel", "http", "action", "task_submit");
        await().untilAsserted(() -> {
            assertThat(events)
                    .filteredOn(Event.Allowed.class::isInstance)
                    .extracting(event -> ((Event.Allowed) event).remaining())
                    .containsExactly(9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L, 0L);
            assertThat(events)
                    .filteredOn(Event.Denied.class::isInstance)
                    .extracting(event -> ((Event.Denied) event).consecutiveViolations())
                    .containsExactly(1L, 2L);
        });
    }

    @Test
    void A15_messagesBeforeIdentificationAreNotCounted() {
        assertThat(hub.allowed(500, "channel", "ws", "action", "identify", "ip", "203.0.113.7"))
                .isEqualTo(500);
        assertThat(hub.check("channel", "ws", "action", "identify").isUntouched())
                .isTrue();
        assertThat(hub.allowed(100, "ip", "203.0.113.7", "path", "/api/agents")).isEqualTo(60);
    }

    @Test
    void A16_aSweptBucketIsAsGoodAsAKeptOne() {
        hub.allowed(5, "agent", "idle", "channel", "ws", "action", "task_submit");
        hub.allowed(5, "agent", "busy", "channel", "ws", "action", "task_submit");
        hub.clock.advance(Duration.ofSeconds(29));
        hub.allowed(4, "agent", "busy", "channel", "ws", "action", "task_submit");
        hub.clock.advance(Duration.ofSeconds(1));
        long before = hub.store.entries();
        hub.store.sweep();
        assertThat(hub.store.entries()).isEqualTo(before - 1);
        assertThat(hub.allowed(50, "agent", "idle", "channel", "ws", "action", "task_submit"))
                .isEqualTo(10);
        assertThat(hub.allowed(50, "agent", "busy", "channel", "ws", "action", "task_submit"))
                .isEqualTo(6);
    }

    @Test
    void A17_firstRequestsAtTheSameInstantShareOneBucket() throws Exception {
        for (int round = 0; round < 50; round++) {
            String agent = "agent-" + round;
            assertThat(ParallelThreads.count(
                            8, 5, () -> act(agent, "ws", "task_submit").allowed()))
                    .isEqualTo(10);
        }
    }
}

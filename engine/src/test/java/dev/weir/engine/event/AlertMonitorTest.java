package dev.weir.engine.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class AlertMonitorTest {
    private static final AlertRule ABUSE =
            new AlertRule.Violations("abuse", 10, Duration.ofMinutes(5), List.of("agent"), null, null);
    private static final AlertRule SHARE =
            new AlertRule.DeniedShare("share", 50, Duration.ofMinutes(5), 20, null, null);

    private final List<Event.Alert> alerts = new ArrayList<>();
    private Instant now = Events.NOW;

    @Test
    void A13_violations_tenthWithinFiveMinutes_alertsOnce() {
        AlertMonitor monitor = new AlertMonitor(List.of(ABUSE), alerts::add);

        violate(monitor, "a", 9, Duration.ofSeconds(10));
        assertThat(alerts).isEmpty();
        violate(monitor, "a", 1, Duration.ZERO);
        assertThat(alerts)
                .containsExactly(new Event.Alert(
                        now,
                        "abuse",
                        Event.Alert.Kind.VIOLATIONS,
                        Map.of("agent", "a"),
                        10,
                        10,
                        Duration.ofMinutes(5)));
        violate(monitor, "a", 1_000, Duration.ofSeconds(1));

        assertThat(alerts).hasSize(1);
    }

    @Test
    void A13_violations_spreadWiderThanTheDuration_neverAlerts() {
        AlertMonitor monitor = new AlertMonitor(List.of(ABUSE), alerts::add);

        violate(monitor, "a", 200, Duration.ofSeconds(34));

        assertThat(alerts).isEmpty();
    }

    @Test
    void A13_violations_fellBelowAndRoseAnew_alertsAgain() {
        AlertMonitor monitor = new AlertMonitor(List.of(ABUSE), alerts::add);

        violate(monitor, "a", 20, Duration.ofSeconds(1));
        now = now.plus(Duration.ofMinutes(10));
        violate(monitor, "a", 9, Duration.ofSeconds(1));
        assertThat(alerts).hasSize(1);
        violate(monitor, "a", 1, Duration.ofSeconds(1));

        assertThat(alerts).hasSize(2);
    }

    @Test
    void A13_violations_hoveringAroundTheMark_isOneEpisode() {
        AlertMonitor monitor = new AlertMonitor(List.of(ABUSE), alerts::add);

        violate(monitor, "a", 500, Duration.ofSeconds(30));
        violate(monitor, "a", 500, Duration.ofSeconds(33));
        violate(monitor, "a", 500, Duration.ofSeconds(30));

        assertThat(alerts).hasSizeLessThanOrEqualTo(1);
        violate(monitor, "a", 500, Duration.ofSeconds(29));
        assertThat(alerts).hasSize(1);
    }

    @Test
    void A13_violations_ofOthers_countApart() {
        AlertMonitor monitor = new AlertMonitor(List.of(ABUSE), alerts::add);

        for (int i = 0; i < 30; i++) {
            violate(monitor, "a" + i, 9, Duration.ZERO);
        }
        assertThat(alerts).isEmpty();
        violate(monitor, "a7", 1, Duration.ZERO);

        assertThat(alerts).extracting(Event.Alert::subject).containsExactly(Map.of("agent", "a7"));
    }

    @Test
    void A13_violations_shadowUnavailableOrAnonymous_doNotCount() {
        AlertMonitor monitor = new AlertMonitor(List.of(ABUSE), alerts::add);

        for (int i = 0; i < 20; i++) {
            monitor.on(Events.denied(now, Map.of("agent", "a"), "limited", true));
            monitor.on(Events.denied(now, Map.of("agent", "a"), "unavailable", false));
            monitor.on(Events.denied(now, Map.of("ip", "a")));
            monitor.on(Events.numbered(i));
        }

        assertThat(alerts).isEmpty();
    }

    @Test
    void A13_violations_alternatives_takeTheFirstAndKeepNamesApart() {
        AlertRule either = new AlertRule.Violations("either", 2, Duration.ofMinutes(1), List.of("user|ip"), null, null);
        AlertMonitor monitor = new AlertMonitor(List.of(either), alerts::add);

        monitor.on(Events.denied(now, Map.of("user", "x", "ip", "y")));
        monitor.on(Events.denied(now, Map.of("ip", "x")));
        assertThat(alerts).isEmpty();
        monitor.on(Events.denied(now, Map.of("user", "x")));

        assertThat(alerts).extracting(Event.Alert::subject).containsExactly(Map.of("user", "x"));
    }

    @Test
    void violations_stopped_endTheEpisodeWithoutAFurtherEvent() {
        List<Event.AlertEnded> ended = new ArrayList<>();
        AlertMonitor monitor = new AlertMonitor(List.of(ABUSE), alerts::add, ended::add);
        violate(monitor, "a", 10, Duration.ofSeconds(1));
        Instant raised = alerts.get(0).at();
        violate(monitor, "a", 5, Duration.ofSeconds(1));
        Instant last = now.minusSeconds(1);
        assertThat(monitor.episodes())
                .containsExactly(
                        new AlertEpisode("abuse", Event.Alert.Kind.VIOLATIONS, Map.of("agent", "a"), raised, last, 15));
        monitor.look(now.plusSeconds(200));
        assertThat(ended).isEmpty();
        Instant later = now.plus(Duration.ofMinutes(6));
        monitor.look(later);
        monitor.look(later.plusSeconds(1));
        assertThat(ended)
                .containsExactly(new Event.AlertEnded(
                        later, "abuse", Event.Alert.Kind.VIOLATIONS, Map.of("agent", "a"), raised, last, 15));
        assertThat(monitor.episodes()).isEmpty();
    }

    @Test
    void share_low_endsTheEpisodeWithoutAFurtherEvent() {
        List<Event.AlertEnded> ended = new ArrayList<>();
        AlertMonitor monitor = new AlertMonitor(List.of(SHARE), alerts::add, ended::add);
        traffic(monitor, 30, 0);
        assertThat(monitor.episodes()).hasSize(1);
        monitor.look(now.plus(Duration.ofMinutes(6)));
        assertThat(ended)
                .singleElement()
                .satisfies(end -> assertThat(end.count()).isEqualTo(30));
        assertThat(monitor.episodes()).isEmpty();
    }

    @Test
    void A13_violations_clockStepsBack_countsOn() {
        AlertMonitor monitor = new AlertMonitor(List.of(ABUSE), alerts::add);

        violate(monitor, "a", 10, Duration.ofHours(-1));

        assertThat(alerts).hasSize(1);
    }

    @Test
    void violations_attackerChosenSubjects_boundedAndTheActiveOneIsKept() {
        AlertRule.Violations rule =
                new AlertRule.Violations("abuse", 10, Duration.ofMinutes(5), List.of("agent"), null, null);
        ViolationWatch watch =
                new ViolationWatch(rule, new AlertMonitor.AlertOutlet(alerts::add, ended -> {}, new LongAdder()), 100);

        for (int i = 0; i < 10_000; i++) {
            watch.see(Events.denied(now, Map.of("agent", "noise" + i + "x".repeat(300))));
            if (i % 50 == 0) {
                watch.see(Events.denied(now, Map.of("agent", "a")));
            }
        }

        assertThat(watch.subjects()).isEqualTo(100);
        assertThat(alerts).extracting(Event.Alert::subject).containsExactly(Map.of("agent", "a"));
    }

    @Test
    void violations_longValues_areToldApart() {
        AlertRule twice = new AlertRule.Violations("twice", 2, Duration.ofMinutes(1), List.of("agent"), null, null);
        AlertMonitor monitor = new AlertMonitor(List.of(twice), alerts::add);

        monitor.on(Events.denied(now, Map.of("agent", "x".repeat(60_000) + "a")));
        monitor.on(Events.denied(now, Map.of("agent", "x".repeat(60_000) + "b")));

        assertThat(alerts).isEmpty();
    }

    @Test
    void alerts_floodOfSubjects_isHeldToSixtyAMinute() {
        AlertRule once = new AlertRule.Violations("once", 1, Duration.ofMinutes(1), List.of("agent"), null, null);
        AlertMonitor monitor = new AlertMonitor(List.of(once), alerts::add);

        for (int i = 0; i < 1_000; i++) {
            violate(monitor, "a" + i, 1, Duration.ZERO);
        }
        assertThat(alerts).hasSize(60);
        assertThat(monitor.suppressed()).isEqualTo(940);

        now = now.plusSeconds(60);
        violate(monitor, "late", 1, Duration.ZERO);
        assertThat(alerts).hasSize(61);
    }

    @Test
    void B13_share_highWithEnoughRequests_alertsOnce() {
        AlertMonitor monitor = new AlertMonitor(List.of(SHARE), alerts::add);

        traffic(monitor, 19, 0);
        assertThat(alerts).isEmpty();
        traffic(monitor, 1, 0);
        assertThat(alerts)
                .containsExactly(new Event.Alert(
                        now, "share", Event.Alert.Kind.DENIED_SHARE, Map.of(), 100, 50, Duration.ofMinutes(5)));
        traffic(monitor, 500, 400);

        assertThat(alerts).hasSize(1);
    }

    @Test
    void B13_share_low_neverAlerts() {
        AlertMonitor monitor = new AlertMonitor(List.of(SHARE), alerts::add);

        for (int i = 0; i < 100; i++) {
            traffic(monitor, 0, 11);
            traffic(monitor, 9, 0);
            now = now.plusSeconds(7);
        }

        assertThat(alerts).isEmpty();
    }

    @Test
    void B13_share_fellAndRoseAnew_alertsAgain() {
        AlertMonitor monitor = new AlertMonitor(List.of(SHARE), alerts::add);
        traffic(monitor, 50, 0);
        assertThat(alerts).hasSize(1);

        now = now.plus(Duration.ofMinutes(6));
        traffic(monitor, 0, 10);
        traffic(monitor, 9, 0);
        assertThat(alerts).hasSize(1);
        traffic(monitor, 1, 0);

        assertThat(alerts).hasSize(2);
    }

    @Test
    void B13_share_hoveringAroundTheMark_isOneEpisode() {
        AlertMonitor monitor = new AlertMonitor(List.of(SHARE), alerts::add);
        traffic(monitor, 100, 0);

        for (int i = 0; i < 200; i++) {
            traffic(monitor, 10, i % 2 == 0 ? 11 : 9);
            now = now.plusSeconds(5);
        }

        assertThat(alerts).hasSize(1);
    }

    @Test
    void B13_share_storeDownCountsAndShadowDoesNot() {
        AlertMonitor monitor = new AlertMonitor(List.of(SHARE), alerts::add);

        for (int i = 0; i < 30; i++) {
            monitor.on(Events.denied(now, Map.of(), "limited", true));
            monitor.on(Events.allowed(now));
        }
        assertThat(alerts).isEmpty();
        for (int i = 0; i < 30; i++) {
            monitor.on(Events.denied(now, Map.of(), "unavailable", false));
        }

        assertThat(alerts).hasSize(1);
    }

    @Test
    void B13_share_clockStepsBack_countsOn() {
        AlertMonitor monitor = new AlertMonitor(List.of(SHARE), alerts::add);

        for (int i = 0; i < 20; i++) {
            traffic(monitor, 1, 0);
            now = now.minusSeconds(3_600);
        }

        assertThat(alerts).hasSize(1);
    }

    @Test
    void rule_badNumbers_areRefused() {
        assertThatThrownBy(() -> new AlertRule.Violations("x", 0, Duration.ofMinutes(1), List.of(), null, null))
                .hasMessageContaining("violations is 0");
        assertThatThrownBy(() -> new AlertRule.DeniedShare("x", 101, Duration.ofMinutes(1), 1, null, null))
                .hasMessageContaining("101%");
        assertThatThrownBy(() -> new AlertRule.DeniedShare("x", 50, Duration.ZERO, 1, null, null))
                .hasMessageContaining("within");
    }

    private void violate(AlertMonitor monitor, String agent, int times, Duration apart) {
        for (int i = 0; i < times; i++) {
            monitor.on(Events.denied(now, Map.of("agent", agent)));
            if (i < times - 1 || !apart.isZero()) {
                now = now.plus(apart);
            }
        }
    }

    private void traffic(AlertMonitor monitor, int denied, int allowed) {
        for (int i = 0; i < denied; i++) {
            monitor.on(Events.denied(now, Map.of()));
        }
        for (int i = 0; i < allowed; i++) {
            monitor.on(Events.allowed(now));
        }
    }
}

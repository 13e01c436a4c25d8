package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An administrator resets a subject, and all its budgets are full again. */
class ResetSubjectTest {
    private static final Duration TTL = Duration.ofMinutes(5);

    @Test
    void reset_ofAnAgent_resetsItsTiersOnEveryChannel() {
        try (PresetEngine hub = PresetEngine.of("agent-hub")) {
            for (String channel : new String[] {"http", "ws"}) {
                for (String action : new String[] {"ping", "message", "identify"}) {
                    hub.allowed(1_000, "agent", "rs1", "channel", channel, "action", action);
                    hub.allowed(1_000, "agent", "rs2", "channel", channel, "action", action);
                }
            }
            ResetReport report = hub.weir.resetSubject(Map.of("agent", "rs1"));
            assertThat(report.budgets())
                    .extracting(budget ->
                            budget.key().get("channel") + " " + budget.key().get("tier"))
                    .contains(
                            "http light",
                            "http normal",
                            "http heavy",
                            "ws light",
                            "ws normal",
                            "ws heavy",
                            "grpc heavy");
            assertThat(report.budgets())
                    .allMatch(budget -> budget.limit().equals("agent")
                            && budget.key().get("agent").equals("rs1"));
            assertThat(report.incomplete()).isEmpty();
            for (String channel : new String[] {"http", "ws"}) {
                for (String action : new String[] {"ping", "message", "identify"}) {
                    assertThat(hub.check("agent", "rs1", "channel", channel, "action", action)
                                    .allowed())
                            .as("%s %s", channel, action)
                            .isTrue();
                    assertThat(hub.check("agent", "rs2", "channel", channel, "action", action)
                                    .allowed())
                            .isFalse();
                }
            }
        }
    }

    @Test
    void reset_withMoreAttributes_resetsWhatMatchesAll() {
        try (PresetEngine hub = PresetEngine.of("agent-hub")) {
            hub.allowed(1_000, "agent", "a", "channel", "http", "action", "identify");
            hub.allowed(1_000, "agent", "a", "channel", "ws", "action", "identify");
            assertThat(hub.weir
                            .resetSubject(attributes("agent", "a", "action", "identify", "channel", "ws"))
                            .budgets())
                    .containsExactly(new ResetReport.Budget(
                            "agent", attributes("agent", "a", "channel", "ws", "tier", "heavy"), false));
            assertThat(hub.check("agent", "a", "channel", "ws", "action", "identify")
                            .allowed())
                    .isTrue();
            assertThat(hub.check("agent", "a", "channel", "http", "action", "identify")
                            .allowed())
                    .isFalse();
        }
    }

    @Test
    void reset_freesSlots_andLeavesSharedBudgetsAlone() {
        try (PresetEngine engine = PresetEngine.yaml("""
                limits:
                  - { name: all, rate: 3/h }
                  - { name: user, per: [user], rate: 2/h }
                  - { name: connections, per: [user, channel], rate: 1, algorithm: concurrency }
                """)) {
            Request request = Request.of(attributes("user", "u", "channel", "ws"));
            Hold taken = engine.weir.acquire(request, TTL);
            assertThat(engine.weir.acquire(request, TTL).granted()).isFalse();
            assertThat(engine.allowed(3, "user", "u")).isEqualTo(2);
            ResetReport report = engine.weir.resetSubject(attributes("user", "u"));
            assertThat(report.budgets())
                    .contains(
                            new ResetReport.Budget("user", attributes("user", "u"), false),
                            new ResetReport.Budget("connections", attributes("user", "u", "channel", "ws"), true));
            assertThat(engine.weir.acquire(request, TTL).granted()).isTrue();
            assertThat(engine.weir.renew(taken.id(), TTL))
                    .as("a lease whose slot was freed is lost")
                    .isFalse();
            assertThat(engine.allowed(3, "user", "u"))
                    .as("the budget of all is not the user's")
                    .isEqualTo(1);
        }
    }

    @Test
    void reset_findsKeysThatWereSeen_whereAPartCanBeAnything() {
        try (PresetEngine engine = PresetEngine.yaml("""
                limits: [{ name: a, per: [tenant, "user|ip", room], rate: 1/h }]
                defaults: { tenant: public }
                """)) {
            engine.allowed(2, "user", "u", "room", "r1");
            engine.allowed(2, "user", "u", "room", "r2");
            engine.allowed(2, "user", "v", "room", "r1");
            engine.allowed(2, "ip", "192.0.2.1", "room", "r1");
            ResetReport report = engine.weir.resetSubject(attributes("user", "u"));
            assertThat(report.budgets())
                    .extracting(ResetReport.Budget::key)
                    .containsExactlyInAnyOrder(
                            attributes("tenant", "public", "user", "u", "room", "r1"),
                            attributes("tenant", "public", "user", "u", "room", "r2"));
            assertThat(report.incomplete()).containsExactly("a");
            assertThat(engine.allowed(2, "user", "u", "room", "r1")).isEqualTo(1);
            assertThat(engine.allowed(2, "user", "u", "room", "r2")).isEqualTo(1);
            assertThat(engine.allowed(2, "user", "v", "room", "r1")).isZero();
            assertThat(engine.weir.reset(attributes("room", "r1"))).isEqualTo(3);
            assertThat(engine.allowed(2, "ip", "192.0.2.1", "room", "r1")).isEqualTo(1);
        }
    }

    @Test
    void reset_ofASubjectWithRowsAndManyRates_resetsThemAll() {
        try (PresetEngine engine = PresetEngine.yaml("""
                limits:
                  - name: a
                    per: [user]
                    by: plan
                    rate: { free: [1/h, 1/d], default: 2/h }
                """)) {
            assertThat(engine.allowed(2, "user", "u", "plan", "free")).isEqualTo(1);
            assertThat(engine.weir.reset(attributes("user", "u"))).isEqualTo(2);
            assertThat(engine.allowed(2, "user", "u", "plan", "free")).isEqualTo(1);
        }
    }

    @Test
    void reset_ofOneWithManyOpenReservations_letsItReserveAgain() {
        try (PresetEngine engine = PresetEngine.yaml("""
                holds: { open-reservations: 2 }
                limits: [{ name: a, per: [user], rate: 100/h }]
                """)) {
            Request request = Request.of(attributes("user", "u"));
            engine.weir.reserve(request, TTL);
            engine.weir.reserve(request, TTL);
            assertThat(engine.weir.reserve(request, TTL).granted()).isFalse();
            engine.weir.reset(attributes("user", "u"));
            assertThat(engine.weir.reserve(request, TTL).granted()).isTrue();
        }
    }

    @Test
    void reset_ofAKeyWithVeryManyPossibleValues_isBounded() {
        StringBuilder classes = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            classes.append(i == 0 ? "" : ", ")
                    .append("c")
                    .append(i)
                    .append(": [x")
                    .append(i)
                    .append("]");
        }
        String rule = "{ set: %s, from: action, values: { " + classes + " }, default: z }";
        try (PresetEngine engine = PresetEngine.yaml("classify: [" + rule.formatted("one") + ", "
                + rule.formatted("two") + "]\nlimits: [{ name: a, per: [user, one, two], rate: 1/h }]\n")) {
            ResetReport report = engine.weir.resetSubject(attributes("user", "u"));
            assertThat(report.budgets()).hasSize(1_000);
            assertThat(report.incomplete()).containsExactly("a");
        }
    }
}

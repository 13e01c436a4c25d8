package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.event.Event;
import dev.weir.engine.json.Json;
import dev.weir.server.admin.SubjectAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SeenSubjectsTest {
    private static final long NOW = 1_800_000_000L;
    private Weir weir = Weir.inMemory(configuration("agent-hub"));
    private SeenSubjects seenSubjects = new SeenSubjects(weir);

    @AfterEach
    void close() {
        weir.close();
    }

    private static Configuration configuration(String preset) {
        return new ConfigurationReader(name -> null).preset(preset).orThrow();
    }

    private void use(String preset) {
        use(configuration(preset));
    }

    private void use(Configuration configuration) {
        weir.close();
        weir = Weir.inMemory(configuration);
        seenSubjects = new SeenSubjects(weir);
    }

    private static Configuration text(String yaml) {
        return new ConfigurationReader(name -> null).read("test.yaml", yaml).orThrow();
    }

    private void denied(String limit, Map<String, String> attributes, long second) {
        seenSubjects.on(new Event.Denied(
                Instant.ofEpochSecond(second),
                attributes,
                attributes,
                limit,
                "scope",
                null,
                10,
                Duration.ofSeconds(1),
                1,
                "limited",
                false));
    }

    private void allowed(Map<String, String> attributes, long second) {
        seenSubjects.allowed().on(new Event.Allowed(Instant.ofEpochSecond(second), attributes, null, 0));
    }

    private List<String> shown() {
        List<String> names = new ArrayList<>();
        seenSubjects.forEach(member -> {
            if (member.shown) {
                names.add(member.attribute + "=" + member.value);
            }
        });
        return names;
    }

    @Test
    void attackers_cannotMakeItGrow() {
        for (int i = 0; i < SeenSubjects.MOST + 5000; i++) {
            denied("agent", Map.of("agent", "a" + i, "channel", "http", "tier", "heavy"), NOW);
        }
        assertThat(shown())
                .hasSize(SeenSubjects.MOST)
                .doesNotContain("agent=a4999")
                .contains("agent=a5000");
        for (int i = 0; i < 1000; i++) {
            denied("agent", Map.of("agent", "one", "channel", "c" + i, "tier", "heavy"), NOW);
        }
        seenSubjects.forEach(member -> assertThat(member.ways().size()).isLessThanOrEqualTo(8));
    }

    /** So that the limits of a long configuration do not fill the memory, subject by subject. */
    @Test
    void refusalsOfOneSubject_areBoundedByLimitAndReason() {
        DeniedCounts counts = new DeniedCounts();
        for (int i = 0; i < 1000; i++) {
            for (String reason : List.of("limited", "impossible", "unavailable")) {
                counts.add("limit-" + i, reason, NOW);
            }
            counts.add(null, "penalized", NOW);
        }
        assertThat(counts.size()).isLessThanOrEqualTo(DeniedCounts.MOST + 4);
        Json json = Json.newObject(1024);
        counts.write(json);
        assertThat(json.close('}').toString())
                .startsWith("{\"denied_by\":[{\"limit\":null,\"reason\":\"penalized\",\"count\":1000},")
                .contains("{\"limit\":null,\"reason\":\"limited\",\"count\":997}")
                .contains("{\"limit\":\"limit-0\",\"reason\":\"limited\",\"count\":1}");
    }

    @Test
    void whoIsNotSeen_isForgottenAfterAnHour() {
        allowed(Map.of("agent", "old"), NOW - 4000);
        allowed(Map.of("agent", "new"), NOW);
        seenSubjects.forgetBefore(NOW - SeenSubjects.KEPT_SECONDS);
        assertThat(shown()).containsExactly("agent=new");
    }

    @Test
    void whoWasRefused_isRemembered_butNotShown_afterAnHour() {
        denied("agent", Map.of("agent", "old"), NOW - 4000);
        denied("agent", Map.of("agent", "new"), NOW);
        seenSubjects.forgetBefore(NOW - SeenSubjects.KEPT_SECONDS);
        assertThat(shown()).containsExactly("agent=new");
        assertThat(seenSubjects.refusals("agent", "old")).isEqualTo(1);
        assertThat(seenSubjects.refusedSince("agent", NOW - 5000)).containsExactly("new", "old");
        assertThat(seenSubjects.refusedSince("agent", NOW - 10)).containsExactly("new");
    }

    @Test
    void refusals_areThoseOfEverybodyWhomTheConfigurationNames() {
        use(text("""
                version: 1
                limits: [{ name: keys, per: [api_key, channel], rate: 1/day }]
                penalty: { per: [project], backoff: [1s], reset-after: 1m }
                """));
        denied("keys", Map.of("api_key", "k", "channel", "http", "project", "p", "ip", "::1"), NOW);
        assertThat(seenSubjects.refusals("api_key", "k")).isEqualTo(1);
        assertThat(seenSubjects.refusals("project", "p")).isEqualTo(1);
        assertThat(seenSubjects.refusals("ip", "::1")).isEqualTo(1);
        assertThat(seenSubjects.refusals("channel", "http")).isZero();
    }

    @Test
    void valueAlone_isOfThePenalty_orOfWhomTheLimitsAreAbout() {
        assertThat(new SubjectAttributes(configuration("agent-hub")).bare()).isEqualTo("agent");
        assertThat(new SubjectAttributes(configuration("ai-saas")).bare()).isEqualTo("user");
        assertThat(new SubjectAttributes(text("{ version: 1, limits: [{ name: all, per: [], rate: 1/s }] }")).bare())
                .isEqualTo("agent");
    }

    @Test
    void top_countsTheLastHour_mostFirst() {
        denied("agent", Map.of("agent", "before"), NOW - 3700);
        denied("agent", Map.of("agent", "once"), NOW);
        denied("agent", Map.of("agent", "twice"), NOW - 10);
        denied("agent", Map.of("agent", "twice"), NOW);
        assertThat(seenSubjects.top(10, NOW)).extracting(member -> member.value).containsExactly("twice", "once");
        assertThat(seenSubjects.top(1, NOW)).extracting(member -> member.value).containsExactly("twice");
    }

    @Test
    void refusal_isBlamedOnWhoseBudgetItWas() {
        use("ai-saas");
        Map<String, String> request = Map.of("user", "u1", "ip", "203.0.113.7", "plan", "free");
        allowed(request, NOW);
        assertThat(shown()).containsExactly("user=u1");
        denied("ip", request, NOW);
        assertThat(seenSubjects.top(9, NOW))
                .extracting(member -> member.attribute)
                .containsExactly("ip");
        denied("global", request, NOW);
        assertThat(seenSubjects.top(9, NOW))
                .extracting(member -> member.attribute)
                .containsExactlyInAnyOrder("ip", "user");
    }

    @Test
    void failuresOfTheStoreAndShadows_areNobodysViolations() {
        Map<String, String> who = Map.of("agent", "a");
        Instant now = Instant.ofEpochSecond(NOW);
        seenSubjects.on(
                new Event.Denied(now, who, who, "agent", "agent", null, 1, Duration.ZERO, 0, "unavailable", false));
        seenSubjects.on(new Event.Denied(now, who, who, "agent", "agent", null, 1, Duration.ZERO, 0, "limited", true));
        assertThat(seenSubjects.top(9, NOW)).isEmpty();
        assertThat(shown()).containsExactly("agent=a");
    }

    @Test
    void refresh_asksForTheBudgetsThatWereUsed() {
        weir.check(Map.of("agent", "a", "action", "task_submit"));
        allowed(Map.of("agent", "a", "channel", "http", "tier", "heavy", "action", "task_submit"), NOW);
        new SeenSubjectsRefresh(weir, seenSubjects).run(NOW, 1);
        seenSubjects.forEach(member -> {
            assertThat(member.budgets).hasSize(1);
            assertThat(member.budgets.get(0).remaining()).isEqualTo(9);
            assertThat(member.budgets.get(0).key())
                    .containsExactly(Map.entry("channel", "http"), Map.entry("tier", "heavy"));
        });
        assertThat(seenSubjects.due(2, 10)).isEmpty();
        assertThat(seenSubjects.due(3, 10)).hasSize(1);
        assertThat(seenSubjects.due(3, 0)).isEmpty();
    }
}

package dev.weir.engine.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Policy;
import dev.weir.TokenBucket;
import dev.weir.engine.event.AlertRule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The presets have the names and numbers of the reference systems. */
class PresetsTest {
    @Test
    void names_areTheFilesInPresets() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("../presets"))) {
            assertThat(files.map(file -> file.getFileName().toString().replace(".yaml", "")))
                    .containsExactlyInAnyOrderElementsOf(Presets.names());
        }
        for (String name : Presets.names()) {
            assertThat(Path.of("../presets", name + ".yaml")).content().isEqualTo(Presets.text(name));
        }
    }

    @Test
    void unknownPreset_isRefusedWithTheNearest() {
        assertThatThrownBy(() -> Presets.text("agenthub"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no preset 'agenthub'; did you mean 'agent-hub'?");
        assertThatThrownBy(() -> Presets.text("../x")).hasMessageContaining("choose one of agent-hub, ai-saas,");
    }

    @Test
    void agentHub_isTheReferenceSystem() {
        Configuration hub = preset("agent-hub", Map.of());

        assertThat(hub.store()).isEqualTo("memory");
        assertThat(hub.limits()).extracting(LimitRule::name).containsExactly("agent", "anonymous", "register");
        LimitRule agent = hub.limit("agent");
        assertThat(agent.per()).containsExactly(List.of("agent"), List.of("channel"), List.of("tier"));
        assertThat(rates(agent))
                .isEqualTo(
                        Map.of("light", "[120/min]", "normal", "[60/min]", "heavy", "[10/min]", "default", "[60/min]"));
        assertThat(agent.algorithm()).isEqualTo(Algorithm.TOKEN_BUCKET);
        assertThat(agent.warnPercent()).isEqualTo(80);
        assertThat(hub.limit("anonymous").match()).containsEntry("agent", Condition.ABSENT);
        assertThat(hub.limit("anonymous").per()).containsExactly(List.of("ip"));
        assertThat(rates(hub.limit("anonymous"))).isEqualTo(Map.of("default", "[60/min]"));
        assertThat(hub.limit("register").match()).isEqualTo(Map.of("path", Condition.anyOf("/api/onboard/register")));
        assertThat(rates(hub.limit("register"))).isEqualTo(Map.of("default", "[5/min]"));
        assertThat(hub.penalty().per()).containsExactly("agent");
        assertThat(hub.penalty().backoff()).extracting(Duration::toSeconds).containsExactly(1L, 2L, 5L, 10L, 30L);
        assertThat(hub.penalty().resetAfter()).isEqualTo(Duration.ofSeconds(60));
        assertThat(hub.penalty().enforce()).isFalse();
        assertThat(hub.exempt()).isEqualTo(Map.of("agent", Set.of("dashboard")));
        assertThat(hub.alerts())
                .containsExactly(new AlertRule.Violations(
                        "violations-1", 10, Duration.ofMinutes(5), List.of("agent"), null, null));
    }

    @Test
    void agentHub_hasTheClassListsOfItsSeed() {
        ClassifyRule tier = preset("agent-hub", Map.of()).classify().get(0);

        assertThat(tier.set()).isEqualTo("tier");
        assertThat(tier.from()).isEqualTo("action");
        assertThat(tier.otherwise()).isEqualTo("normal");
        assertThat(tier.values().get("light"))
                .containsExactlyInAnyOrder(
                        ("ping list_agents list_channels status channel_history get_agents get_channels get_tasks"
                                        + " get_metrics get_health get_mailbox get_schemas get_dashboard_state")
                                .split(" "));
        assertThat(tier.values().get("normal"))
                .containsExactlyInAnyOrder(
                        ("message channel_publish channel_subscribe channel_unsubscribe task_accepted task_progress"
                                        + " task_complete task_failed task_recovering post_message"
                                        + " post_channel_publish post_mailbox_ack get_messages get_task_detail"
                                        + " get_channel_info")
                                .split(" "));
        assertThat(tier.values().get("heavy"))
                .containsExactlyInAnyOrder(
                        ("identify channel_create task_submit post_task post_channel post_admin_push_task"
                                        + " post_onboard_register")
                                .split(" "));
    }

    @Test
    void aiSaas_isTheReferenceSystem() {
        Configuration saas = preset("ai-saas", Map.of());

        assertThat(saas.store()).isEqualTo("redis://localhost:6379");
        assertThat(saas.onStoreFailure()).isEqualTo(FailurePolicy.DENY);
        assertThat(saas.limits())
                .extracting(LimitRule::name)
                .containsExactly(
                        "global",
                        "ip",
                        "auth",
                        "webhook",
                        "general",
                        "session",
                        "conversation",
                        "ai_completions",
                        "ai_tokens",
                        "export",
                        "connections");
        assertThat(rates(saas.limit("global"))).isEqualTo(Map.of("default", "[10000/min]"));
        assertThat(rates(saas.limit("ip"))).isEqualTo(Map.of("default", "[100/min]"));
        assertThat(rates(saas.limit("auth"))).isEqualTo(Map.of("default", "[10/hour]"));
        assertThat(rates(saas.limit("webhook"))).isEqualTo(Map.of("default", "[1000/min]"));
        assertPlans(saas, "general", "60/min", "300/min", "600/min");
        assertPlans(saas, "session", "30/hour", "100/hour", "300/hour");
        assertPlans(saas, "conversation", "10/min", "30/min", "60/min");
        assertPlans(saas, "ai_completions", "5/min", "15/min", "30/min");
        assertPlans(saas, "ai_tokens", "10000/day", "100000/day", "500000/day");
        assertPlans(saas, "export", "0/hour", "10/hour", "50/hour");
        assertPlans(saas, "connections", "1", "3", "10");
        assertThat(saas.limit("export").policies("free")).containsExactly(Policy.closed());
        assertThat(saas.limit("ai_tokens").algorithm()).isEqualTo(Algorithm.FIXED_WINDOW);
        assertThat(saas.limit("ai_tokens").cost()).isEqualTo(new CostRule.Attribute("tokens"));
        assertThat(saas.limit("connections").algorithm()).isEqualTo(Algorithm.CONCURRENCY);
    }

    @Test
    void aiSaas_classesPathsAsItsSeedDoes() {
        ClassifyRule resource = preset("ai-saas", Map.of()).classify().get(0);
        for (String path : List.of(
                "/api/conversations/42/messages",
                "/api/conversations/42/messages/7",
                "/conversations/messages",
                "/api/conversations/42",
                "/api/ai/chat",
                "/ai/",
                "/v1/chat/completions",
                "/api/sessions",
                "/api/sessions/1/export",
                "/api/reports/export",
                "/api/exports",
                "/api/ai/sessions",
                "/api/users",
                "/")) {
            assertThat(classOf(resource, path)).as(path).isEqualTo(seedClassOf(path));
        }
    }

    /** The seed's function, in Java. */
    private static String seedClassOf(String path) {
        if (path.contains("/conversations/") && path.contains("/messages")) {
            return "conversation";
        }
        if (path.contains("/ai/") || path.contains("/completions")) {
            return "ai_completions";
        }
        if (path.contains("/sessions")) {
            return "session";
        }
        return path.contains("/export") ? "export" : null;
    }

    private static String classOf(ClassifyRule rule, String value) {
        return rule.values().entrySet().stream()
                .filter(entry -> entry.getValue().stream().anyMatch(glob -> value.matches(regex(glob))))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(rule.otherwise());
    }

    private static String regex(String glob) {
        return glob.replace(".", "\\.")
                .replace("**", "\u0000")
                .replace("*", "[^/]*")
                .replace("\u0000", ".*");
    }

    @Test
    void credentialApi_isTheReferenceSystem() {
        Configuration api = preset("credential-api", Map.of());

        assertThat(api.store()).startsWith("cluster://");
        assertThat(api.limits())
                .extracting(LimitRule::name)
                .containsExactly("credential_exchange", "usage_report", "ast_analysis", "admin_login");
        assertThat(api.limits()).extracting(LimitRule::algorithm).containsOnly(Algorithm.SLIDING_WINDOW);
        assertThat(api.limits())
                .extracting(limit -> rates(limit).get("default"))
                .containsExactly("[10/min]", "[100/min]", "[50/min]", "[5/min]");
        assertThat(api.limit("usage_report").match()).isEqualTo(Map.of("action", Condition.anyOf("usage_report")));
        assertThat(api.limit("admin_login").match()).isEqualTo(Map.of("path", Condition.anyOf("/admin/login")));
        assertThat(api.limit("admin_login").per()).containsExactly(List.of("ip"), List.of("path"));
    }

    @Test
    void deviceIngest_isTheReferenceSystem() {
        Configuration off = preset("device-ingest", Map.of());
        assertThat(off.enabled()).isFalse();
        assertThat(off.store()).startsWith("jdbc:sqlite:");
        LimitRule ingest = off.limit("ingest");
        assertThat(ingest.per()).containsExactly(List.of("device", "ip"));
        assertThat(ingest.algorithm()).isEqualTo(Algorithm.FIXED_WINDOW);
        assertThat(rates(ingest)).isEqualTo(Map.of("default", "[500/hour]"));
        assertThat(ingest.match())
                .isEqualTo(Map.of("method", Condition.anyOf("POST"), "path", Condition.anyOf("/v1/ride_summary")));

        Configuration on =
                preset("device-ingest", Map.of("BMTC_RATE_LIMIT_ENABLED", "true", "BMTC_RATE_LIMIT_PER_HOUR", "7"));
        assertThat(on.enabled()).isTrue();
        assertThat(rates(on.limit("ingest"))).isEqualTo(Map.of("default", "[7/hour]"));
    }

    @Test
    void chat_isTheReferenceSystem() {
        Configuration chat = preset("chat", Map.of());

        assertThat(chat.store()).isEqualTo("memory");
        assertThat(chat.defaults()).isEqualTo(Map.of("tenant", "public"));
        assertThat(chat.limits()).extracting(LimitRule::name).containsExactly("messages", "compute");
        assertThat(chat.limits())
                .extracting(LimitRule::per)
                .containsOnly(List.of(List.of("tenant"), List.of("user", "ip"), List.of("type")));
        assertThat(chat.limit("messages").policies("default"))
                .containsExactly(TokenBucket.of(200, 100, Duration.ofSeconds(1)));
        assertThat(chat.limit("compute").policies("default"))
                .containsExactly(TokenBucket.of(10, 2, Duration.ofSeconds(1)));
        assertThat(chat.limit("compute").cost()).isEqualTo(new CostRule.Fixed(5));
        assertThat(chat.limit("compute").match()).isEqualTo(Map.of("type", Condition.anyOf("Compute*")));
    }

    private static void assertPlans(Configuration saas, String limit, String free, String monthly, String annual) {
        assertThat(saas.limit(limit).by()).isEqualTo("plan");
        assertThat(saas.limit(limit).per()).containsExactly(List.of("user"));
        assertThat(rates(saas.limit(limit)))
                .isEqualTo(Map.of(
                        "free", "[" + free + "]",
                        "monthly", "[" + monthly + "]",
                        "annual", "[" + annual + "]",
                        "default", "[" + free + "]"));
    }

    private static Map<String, String> rates(LimitRule limit) {
        return limit.rates().entrySet().stream()
                .collect(java.util.stream.Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().toString()));
    }

    private static Configuration preset(String name, Map<String, String> environment) {
        return new ConfigurationReader(environment::get).preset(name).orThrow();
    }
}

package dev.weir.engine.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ConfigurationChangesTest {
    private static final String YAML = """
            version: 1
            limits:
              - { name: heavy, match: { action: task_submit }, per: [agent], rate: 10/day }
              - { name: light, per: [agent], rate: { free: 60/min, default: 120/min }, by: plan }
            penalty: { per: [agent], backoff: [1s, 2s], reset-after: 60s }
            alerts: [{ violations: 10, within: 5m, per: [agent], webhook: "https://hooks.example/a-secret" }]
            """;

    private static Configuration read(String yaml) {
        return new ConfigurationReader().read("weir.yaml", yaml).orThrow();
    }

    @Test
    void everyChange_isALine_withOldAndNew() {
        String changed = YAML.replace("10/day", "20/day")
                        .replace("free: 60/min, ", "")
                        .replace("action: task_submit", "action: [task_submit, bulk]")
                        .replace("backoff: [1s, 2s]", "backoff: [1s], enforce: true")
                + "enabled: false\n";
        assertThat(ConfigurationChanges.between(read(YAML), read(changed)))
                .containsExactlyInAnyOrder(
                        "enabled: true → false",
                        "limits.heavy.rate.default: 10/day → 20/day",
                        "limits.heavy.match.action: task_submit → task_submit, bulk",
                        "limits.light.rate.free: 60/min → nothing",
                        "penalty.backoff: 1s, 2s → 1s",
                        "penalty.enforce: false → true");
        assertThat(ConfigurationChanges.between(read(YAML), read(YAML))).isEmpty();
    }

    @Test
    void addedLimit_isListed_andNoSecretIs() {
        String changed = YAML.replace("alerts:", "alerts: [] #")
                .replace("penalty:", "  - { name: more, per: [], rate: 1/s }\npenalty:");
        assertThat(ConfigurationChanges.between(read(YAML), read(changed)))
                .hasSize(2)
                .contains("limits.more: added, rate default 1/s")
                .noneMatch(line -> line.contains("secret"))
                .anyMatch(line -> line.startsWith("alerts: ") && line.endsWith(" → nothing"));
        assertThat(ConfigurationChanges.between(read(changed), read(YAML)))
                .contains("limits.more: removed, rate default 1/s");
    }

    /** A component that a record gains must be compared, too. */
    @Test
    void everyComponent_isCompared() {
        Configuration all =
                read(YAML + "classify: [{ set: tier, from: action, values: { light: [ping] }, default: normal }]\n");
        for (Object value : List.of(
                all,
                all.limits().get(0),
                all.classify().get(0),
                all.penalty(),
                all.forwardAuth(),
                all.holds(),
                all.paths())) {
            assertThat(ConfigurationChanges.parts(value))
                    .as(value.getClass().getSimpleName())
                    .hasSize(value.getClass().getRecordComponents().length);
        }
    }
}

package dev.weir.engine.config;

import static dev.weir.engine.config.ReadConfiguration.limitYaml;
import static dev.weir.engine.config.ReadConfiguration.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Warnings about probable mistakes in valid configurations. */
class ConfigurationWarningsTest {
    private static List<String> warnings(String yaml) {
        return read(yaml).warnings().stream().map(Fault::toString).toList();
    }

    @Test
    void misspeltAttribute_ofPerAndMatch_isWarnedOf() {
        assertThat(warnings(limitYaml("rate: 5/s", "match: { metod: GET }", "per: [tenant, usr]")))
                .containsExactly(
                        "w.yaml:4:14: match names 'metod', which neither 'defaults' nor 'classify' sets; did you mean"
                                + " 'method'?",
                        "w.yaml:5:19: per names 'usr', which neither 'defaults' nor 'classify' sets; did you mean 'user'?");
    }

    @Test
    void attribute_thatADefaultOrARuleSets_isNotMisspelt() {
        assertThat(warnings("defaults: { usr: x }\n" + limitYaml("rate: 5/s", "per: [usr]")))
                .isEmpty();
        assertThat(warnings("classify:\n  - { set: plane, from: path, values: { jet: [/j] } }\n"
                        + limitYaml("rate: 5/s", "per: [plane]")))
                .isEmpty();
    }

    @Test
    void limit_thatNeedsWhatItWantsAbsent_isWarnedOf() {
        assertThat(warnings(limitYaml("rate: 5/s", "match: { user: null }", "per: [user]")))
                .containsExactly(
                        "w.yaml:5:11: per needs 'user', which match requires to be absent; this limit never applies");
        assertThat(warnings(limitYaml("rate: 5/s", "match: { user: null }", "per: ['user|ip']")))
                .isEmpty();
    }

    @Test
    void limit_thatWantsAbsentWhatIsAlwaysSet_isWarnedOf() {
        String never =
                ": match requires 'tenant' to be absent, but 'defaults' or 'classify' sets it for every request; this"
                        + " limit never applies";
        String limit = limitYaml("rate: 5/s", "match: { tenant: null }");
        assertThat(warnings("defaults: { tenant: public }\n" + limit)).containsExactly("w.yaml:5:14" + never);
        assertThat(warnings("classify:\n  - { set: tenant, from: path, values: { a: [/a] }, default: b }\n" + limit))
                .containsExactly("w.yaml:6:14" + never);
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "api", "role", "tier", "host", "team", "user_id"})
    void otherNames_areNobodysMisspelling(String name) {
        assertThat(warnings(limitYaml("rate: 5/s", "per: [" + name + "]"))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dev.weir.engine.config.Presets#names")
    void preset_hasNone(String name) {
        assertThat(warnings(Presets.text(name))).isEmpty();
    }

    @Test
    void noLimits_isWarnedOf() {
        assertThat(warnings("limits: []\n")).containsExactly("w.yaml:1:9: limits is an empty list; nothing is limited");
    }

    @Test
    void attribute_thatNothingElseNames_isWarnedOf() {
        String limit = limitYaml("rate: 5/s", "per: [agent]");
        assertThat(warnings(limit + "penalty: { per: [agnt] }\n"))
                .singleElement()
                .asString()
                .endsWith(": per names 'agnt', which no limit, default or rule names; did you mean 'agent'?");
        assertThat(warnings(limit + "exempt: { agnt: [a] }\n"))
                .singleElement()
                .asString()
                .endsWith(": exempt names 'agnt', which no limit, default or rule names; did you mean 'agent'?");
        assertThat(warnings(limit + "alerts: [{ violations: 3, per: [agnt] }]\n"))
                .singleElement()
                .asString()
                .contains("per names 'agnt'");
        assertThat(warnings(limitYaml("rate: { free: 5/s, default: 1/s }", "by: pln")))
                .singleElement()
                .asString()
                .endsWith(": by names 'pln', which neither 'defaults' nor 'classify' sets; did you mean 'plan'?");
        assertThat(warnings(limit + "exempt: { role: [admin] }\n")).isEmpty();
    }

    @Test
    void methodInSmallLetters_isWarnedOf() {
        assertThat(warnings(limitYaml("rate: 5/s", "match: { method: [get, POST] }")))
                .singleElement()
                .asString()
                .endsWith(": match compares method with 'get', but methods are in capitals; did you mean 'GET'?");
        assertThat(warnings(
                        "classify:\n  - { set: kind, from: method, values: { a: [Put] } }\n" + limitYaml("rate: 5/s")))
                .singleElement()
                .asString()
                .contains("values compares method with 'Put'");
    }

    @Test
    void backoffThatFalls_isWarnedOf() {
        String limit = limitYaml("rate: 5/s", "per: [agent]");
        assertThat(warnings(limit + "penalty: { per: [agent], backoff: [1s, 5s, 2s] }\n"))
                .singleElement()
                .asString()
                .endsWith(": backoff falls from 5s to 2s; a later violation should wait at least as long");
        assertThat(warnings(limit + "penalty: { per: [agent], backoff: [1s, 1s, 2s] }\n"))
                .isEmpty();
    }

    @Test
    void limit_thatAnotherMakesUnreachable_isWarnedOf() {
        String never = ": limit 'wide' never refuses: 'tight' counts the same requests by the same key and refuses no"
                + " later; remove one of them";
        assertThat(warnings("""
                        limits:
                          - { name: wide, per: [ip], match: { method: GET }, rate: 100/min }
                          - { name: tight, per: [ip], rate: 10/min }
                        """)).containsExactly("w.yaml:2:13" + never);
        assertThat(warnings("""
                        limits:
                          - { name: tight, per: [ip], rate: 10/h, algorithm: fixed-window }
                          - { name: wide, per: [ip], rate: 10/h, algorithm: fixed-window }
                        """)).containsExactly("w.yaml:3:13" + never);
    }

    @Test
    void limits_thatBothCanRefuse_areNotWarnedOf() {
        for (String other : List.of(
                "per: [user], rate: 100/min",
                "per: [ip], rate: 100/h",
                "per: [ip], rate: 5/s, burst: 100",
                "per: [ip], rate: 100/min, shadow: true",
                "per: [ip], rate: 100/min, cost: 20",
                "per: [ip], rate: 100/min, algorithm: sliding-window")) {
            assertThat(warnings(
                            "limits:\n  - { name: tight, per: [ip], rate: 10/s, match: { path: /x } }\n  - { name: wide, "
                                    + other + " }\n"))
                    .as(other)
                    .isEmpty();
        }
    }
}

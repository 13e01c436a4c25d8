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
}

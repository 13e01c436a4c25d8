package dev.weir.engine.config.schema;

import static dev.weir.engine.config.ReadConfiguration.faults;
import static dev.weir.engine.config.ReadConfiguration.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.config.ReadConfiguration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlaceholdersTest {
    private static final String FLAG = "limits: []\nenabled: ${FLAG:false}\n";

    @Test
    void default_countsWhenTheVariableIsNotSetOrEmpty() {
        assertThat(read(FLAG).orThrow().enabled()).isFalse();
        assertThat(read(FLAG, Map.of("FLAG", "")).orThrow().enabled()).isFalse();
        assertThat(read(FLAG, Map.of("FLAG", "true")).orThrow().enabled()).isTrue();
    }

    @Test
    void value_isTypedAsIfItWereWrittenThere() {
        assertThat(faults(read(FLAG, Map.of("FLAG", "maybe"))))
                .containsExactly("w.yaml:2:10: enabled is 'maybe'; it must be true or false");
        assertThat(read("limits: []\nenabled: \"${FLAG:true}\"\nipv6-prefix: ${P:56}\n")
                        .orThrow())
                .satisfies(configuration -> {
                    assertThat(configuration.enabled()).isTrue();
                    assertThat(configuration.ipv6Prefix()).isEqualTo(56);
                });
    }

    @Test
    void placeholder_insideALongerText() {
        String yaml = ReadConfiguration.limitYaml("rate: ${N:500}/${PERIOD:hour}");

        assertThat(read(yaml).orThrow().limits().get(0).rates().toString()).isEqualTo("{default=[500/hour]}");
        assertThat(read(yaml, Map.of("N", "7", "PERIOD", "30s"))
                        .orThrow()
                        .limits()
                        .get(0)
                        .rates()
                        .toString())
                .isEqualTo("{default=[7/30s]}");
    }

    @Test
    void value_isNeverLookedIntoAgain_norIsItYaml() {
        Map<String, String> environment = Map.of("X", "${Y:1}, b: 2 # {", "Y", "no");

        assertThat(read("limits: []\ndefaults:\n  a: ${X}\n", environment)
                        .orThrow()
                        .defaults())
                .isEqualTo(Map.of("a", "${Y:1}, b: 2 # {"));
    }

    @Test
    void escape_isThePlainText() {
        assertThat(read("limits: []\ndefaults: { a: \"$${X}\", b: \"$1 $ {} $\" }\n")
                        .orThrow()
                        .defaults())
                .isEqualTo(Map.of("a", "${X}", "b", "$1 $ {} $"));
    }

    @Test
    void default_mayHoldColons() {
        assertThat(read("limits: []\nstore: ${S:redis://localhost:6379}\n")
                        .orThrow()
                        .store())
                .isEqualTo("redis://localhost:6379");
    }

    @Test
    void missingVariable_isAFault() {
        assertThat(faults("limits: []\ndefaults:\n  a: ${MISSING}\n  b: x${}\n  c: x${A\n  d: ${A-B}\n  ${E}: 1\n"))
                .containsExactly(
                        "w.yaml:3:6: the environment variable MISSING is not set; set it, or give a default:"
                                + " ${MISSING:default}",
                        "w.yaml:4:6: '${}' names no environment variable; a name has letters, digits, '_' and '.', and $${"
                                + " is for the characters themselves",
                        "w.yaml:5:6: '${A' has no closing brace; write ${NAME} or ${NAME:default}, or $${ for the"
                                + " characters themselves",
                        "w.yaml:6:6: '${A-B}' names no environment variable; a name has letters, digits, '_' and '.', and"
                                + " $${ is for the characters themselves",
                        "w.yaml:7:3: the key '${E}' holds a placeholder; only values may");
    }

    @Test
    void webhook_fromTheEnvironment_mayBeAbsent() {
        String yaml = "limits: []\nalerts:\n  - violations: 1\n    webhook: ${HOOK:}\n";

        assertThat(read(yaml).orThrow().alerts().get(0).webhook()).isNull();
        assertThat(read(yaml, Map.of("HOOK", "https://x.example/y"))
                        .orThrow()
                        .alerts()
                        .get(0)
                        .webhook())
                .hasHost("x.example");
    }
}

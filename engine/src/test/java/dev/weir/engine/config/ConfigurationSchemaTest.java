package dev.weir.engine.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The published schema is the one generated from the reader's table, and agrees with the reader. */
class ConfigurationSchemaTest {
    private static final Path FILE = Path.of("../docs/weir.schema.json");

    private final JsonSchema schema =
            JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(ConfigurationSchema.json());

    /** To bring the file up to date: mvn -pl engine test -Dtest=ConfigurationSchemaTest -Dweir.test.args=-Dweir.update */
    @Test
    void file_isWhatTheModelSays() throws Exception {
        if (System.getProperty("weir.update") != null) {
            Files.writeString(FILE, ConfigurationSchema.json());
        }
        assertThat(FILE).content().isEqualTo(ConfigurationSchema.json());
    }

    @Test
    void schema_isValidByItsOwnMetaSchema() throws Exception {
        JsonSchema meta = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                .getSchema(com.networknt.schema.SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));

        assertThat(meta.validate(new ObjectMapper().readTree(ConfigurationSchema.json())))
                .isEmpty();
    }

    @Test
    void contractsExample_conforms() {
        assertThat(problems(ConfigurationReaderTest.CONTRACT)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dev.weir.engine.config.Presets#names")
    void preset_conforms(String name) {
        assertThat(problems(Presets.text(name))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ name: a, rate: [10/s, 300 / min], per: [] }",
                "{ name: a, rate: 3, algorithm: concurrency }",
                "{ name: a, by: p, rate: { x: [1/s, 2/5m], default: \"${X:5}/s\" } }",
                "{ name: a, rate: 1_000/1h30m, burst: 1_000, warn: 80%, cost: { t: { x: 5, default: 1 } } }",
                "{ name: a, rate: 1/s, match: { a: null, b: [x, null, 5], c: \"y*\" }, shadow: \"${X:true}\" }",
                "{ name: a, rate: 1/day, algorithm: fixed-window, calendar: UTC, scope: resource, cost: tokens }",
                "{ name: a, rate: 1/s, charge: \"on-status 401, 4xx\" }",
                "{ name: a, rate: 1/s, charge: { on-status: [401, 4xx] } }",
                "{ name: a, rate: [1/month, 5 / month], calendar: UTC, on-missing: deny }",
                "{ name: a, rate: 1/s, by: p, cost: { x: 5, default: 1 }, on-store-failure: allow, per: \"a|b\" }",
            })
    void whatTheReaderAccepts_conforms(String limit) {
        String yaml = "limits:\n  - " + limit + "\n";

        assertThat(ReadConfiguration.faults(yaml)).isEmpty();
        assertThat(problems(yaml)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limits: [ { name: a } ]",
                "limits: [ { rate: 1/s } ]",
                "limits: [ { name: a, rate: 1/s, burts: 5 } ]",
                "limits: [ { name: a, rate: 60/mni } ]",
                "limits: [ { name: a, rate: 1/s, burst: 0 } ]",
                "limits: [ { name: a, rate: 1/s, warn: 0.8 } ]",
                "limits: [ { name: a, rate: 1/s, algorithm: tokenbucket } ]",
                "limits: [ { name: a, rate: 1/s, per: [a b] } ]",
                "limits: [ { name: a b, rate: 1/s } ]",
                "{ limits: [], store: memroy }",
                "{ limits: [], ipv6-prefix: 0 }",
                "{ limits: [], version: 2 }",
                "{ limits: [], enabled: 1 }",
                "{ limits: [], penalty: { backoff: [1s] } }",
                "{ limits: [], penalty: { per: [a], reset-after: 60 } }",
                "{ limits: [], trusted-proxies: [localhost] }",
                "{ limits: [], alerts: [ { violations: 1, webhook: ftp://x } ] }",
                "{ limit: [] }",
            })
    void whatTheSchemaCanRefuse_isRefusedByBoth(String yaml) {
        assertThat(ReadConfiguration.faults(yaml)).isNotEmpty();
        assertThat(problems(yaml)).isNotEmpty();
    }

    private Set<ValidationMessage> problems(String yaml) {
        Object document = new Load(LoadSettings.builder().build()).loadFromString(yaml);
        JsonNode json = new ObjectMapper().valueToTree(document);
        return schema.validate(json);
    }
}

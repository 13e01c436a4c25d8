package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.config.ConfigurationException;
import dev.weir.engine.config.Fault;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Envoy's files: what is read, and what is refused where. */
class EnvoyConfigurationReaderTest {
    @TempDir
    private Path directory;

    @Test
    void file_withEveryKey_isRead() {
        EnvoyConfiguration envoy = read("""
                domain: shop
                descriptors:
                  - key: plan
                    value: free*
                    share_threshold: true
                    value_to_metric: true
                    descriptors:
                      - key: user
                        shadow_mode: yes
                        quota_mode: false
                        detailed_metric: true
                        metadata: { anything: [goes, { here: 1 }] }
                        rate_limit:
                          unit: Minute
                          requests_per_unit: 1_000
                          name: users
                          replaces:
                            - name: others
                      - key: admin
                        rate_limit: { unlimited: true }
                """);

        assertThat(envoy.limits()).hasSize(2);
        EnvoyLimit users = envoy.limits().get(0);
        assertThat(users.limit()).startsWith("shop.plan_free_.user-");
        assertThat(users.requestsPerUnit()).isEqualTo(1_000);
        assertThat(users.unit()).isEqualTo(Unit.MINUTE);
        assertThat(users.name()).isEqualTo("users");
        assertThat(users.replaces()).containsExactly("others");
        assertThat(users.shadow()).isTrue();
        assertThat(users.quota()).isFalse();
        assertThat(users.detailedMetric()).isTrue();
        assertThat(users.keys()).isEqualTo("plan,user");
        assertThat(envoy.limits().get(1).isUnlimited()).isTrue();
    }

    @Test
    void numbersAndFlags_asKeysAndValues_areTexts() {
        EnvoyConfiguration envoy = read("""
                domain: 1
                descriptors:
                  - { key: 404, value: true, rate_limit: { unit: day, requests_per_unit: 0 } }
                  - { key: 404, value: ~, rate_limit: { unit: day, requests_per_unit: 5 } }
                """);

        assertThat(envoy.limits()).extracting(EnvoyLimit::limit).containsExactly("1.404_true", "1.404");
    }

    @Test
    void placeholders_areTextsLikeOthers() {
        EnvoyConfiguration envoy = read("""
                domain: a
                descriptors:
                  - { key: k, value: "${HOME}", rate_limit: { unit: day, requests_per_unit: 1 } }
                """);

        assertThat(envoy.limits().get(0).path().get(0).value()).isEqualTo("${HOME}");
    }

    @Test
    void names_thatWouldBeEqual_differ_andStayTheSameBesideOthers() {
        String both = """
                domain: a
                descriptors:
                  - { key: k_v, rate_limit: { unit: day, requests_per_unit: 1 } }
                  - { key: k, value: v, rate_limit: { unit: day, requests_per_unit: 1 } }
                  - { key: "%s", rate_limit: { unit: day, requests_per_unit: 1 } }
                """;

        List<String> names = read(both.formatted("ü")).limits().stream()
                .map(EnvoyLimit::limit)
                .toList();

        assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.matches("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"));
        assertThat(read(both.formatted("long".repeat(50))).limits())
                .extracting(EnvoyLimit::limit)
                .startsWith(names.get(0), names.get(1))
                .allMatch(name -> name.length() <= 64);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "descriptors: [] # envoy.yaml:1:1: the file has no 'domain'; it needs one",
                "domain: '' # envoy.yaml:1:1: the file has no 'domain'; it needs one",
                "domain: [a] # envoy.yaml:1:9: domain is a list; it must be a text",
                "[] # envoy.yaml:1:1: the file is a list; it must be a mapping with domain, descriptors",
                "{ domain: a, descriptor: [] } # envoy.yaml:1:14: unknown key 'descriptor' in the file; did you mean"
                        + " 'descriptors'?",
                "{ domain: a, unit: day } # envoy.yaml:1:14: unknown key 'unit' in the file; it belongs in 'rate_limit'",
                "{ domain: a, descriptors: { key: b } } # envoy.yaml:1:27: descriptors is a mapping; it must be a list",
                "{ domain: a, descriptors: [b] } # envoy.yaml:1:28: a descriptor is 'b'; it must be a mapping with key,"
                        + " value, rate_limit, descriptors, shadow_mode, quota_mode, share_threshold, detailed_metric,"
                        + " value_to_metric, metadata",
                "{ domain: a, descriptors: [{ value: b }] } # envoy.yaml:1:28: a descriptor has no 'key'; it needs one",
                "{ domain: a, descriptors: [{ key: 'b*' }] } # envoy.yaml:1:35: key is 'b*'; a wildcard belongs in"
                        + " 'value'",
                "{ domain: a, descriptors: [{ key: b, valeu: c }] } # envoy.yaml:1:38: unknown key 'valeu' in the"
                        + " descriptor 'b'; did you mean 'value'?",
                "{ domain: a, descriptors: [{ key: b, share_threshold: true }] } # envoy.yaml:1:55: share_threshold is"
                        + " for a value with a wildcard, such as 'files/*'; this descriptor has none",
                "{ domain: a, descriptors: [{ key: b }, { key: b }] } # envoy.yaml:1:40: the descriptor 'b' is in this"
                        + " list twice; remove one of them",
                "{ domain: a, descriptors: [{ key: b, shadow_mode: perhaps }] } # envoy.yaml:1:51: shadow_mode is"
                        + " 'perhaps'; it must be true or false",
                "{ domain: a, descriptors: [{ key: b, rate_limit: { requests_per_unit: 1 } }] } # envoy.yaml:1:50:"
                        + " 'rate_limit' has no 'unit'; it needs one, or 'unlimited: true'",
                "{ domain: a, descriptors: [{ key: b, rate_limit: { unit: day } }] } # envoy.yaml:1:50: 'rate_limit' has"
                        + " no 'requests_per_unit'; it needs one, and 0 refuses every request",
                "{ domain: a, descriptors: [{ key: b, rate_limit: { unit: minutes, requests_per_unit: 1 } }] } #"
                        + " envoy.yaml:1:58: unit is 'minutes'; it must be one of second, minute, hour, day, week,"
                        + " month, year; did you mean 'minute'?",
                "{ domain: a, descriptors: [{ key: b, rate_limit: { unit: day, requests_per_unit: -1 } }] } #"
                        + " envoy.yaml:1:82: requests_per_unit is '-1'; it must be a whole number from 0 to 4294967295",
                "{ domain: a, descriptors: [{ key: b, rate_limit: { unit: day, requests_per_unit: 4294967296 } }] } #"
                        + " envoy.yaml:1:82: requests_per_unit is '4294967296'; it must be a whole number from 0 to"
                        + " 4294967295",
                "{ domain: a, descriptors: [{ key: b, rate_limit: { unit: day, requests_per_unit: 010 } }] } #"
                        + " envoy.yaml:1:82: requests_per_unit is '010'; it must be a whole number from 0 to 4294967295",
                "{ domain: a, descriptors: [{ key: b, rate_limit: { unit: day, unlimited: true } }] } # envoy.yaml:1:58:"
                        + " unit is given for an unlimited rate; remove one of the two",
                "{ domain: a, descriptors: [{ key: b, rate_limit: { unit: day, requests_per_unit: 1, shadow_mode: true }"
                        + " }] } # envoy.yaml:1:85: unknown key 'shadow_mode' in 'rate_limit'; it belongs in a"
                        + " descriptor",
                "{ domain: a, descriptors: [{ key: b, rate_limit: { unlimited: true, name: x, replaces: [{ name: x }] }"
                        + " }] } # envoy.yaml:1:97: the limit 'x' replaces itself; name another limit, or remove this",
                "{ domain: a, descriptors: [{ key: b, rate_limit: { unlimited: true, replaces: [{ name: '' }] } }] } #"
                        + " envoy.yaml:1:80: an item of 'replaces' has no 'name'; it needs one",
                "{ domain: a, domain: b } # envoy.yaml:1:14: 'domain' is given twice, first on line 1; remove one of"
                        + " them",
                "  # envoy.yaml:1:1: the file is empty; it needs at least 'domain:'",
            })
    void fault_isReported_whereItIs_withACure(String example) {
        int end = example.indexOf(" # ");

        assertThat(faults(example.substring(0, end)))
                .extracting(Fault::toString)
                .containsExactly(example.substring(end + 3).strip());
    }

    @Test
    void faults_areReportedAllAtOnce_ofAllFiles() throws IOException {
        Files.writeString(
                directory.resolve("a.yaml"), "domain: a\ndescriptors:\n  - keys: x\n  - key: y\n    valu: z\n");
        Files.writeString(directory.resolve("b.yml"), "domain: a\n");
        Files.writeString(directory.resolve("c.txt"), "not read");
        Files.writeString(directory.resolve(".hidden.yaml"), "not read");

        assertThatThrownBy(() -> EnvoyService.load(directory))
                .isInstanceOfSatisfying(
                        ConfigurationException.class,
                        e -> assertThat(e.faults())
                                .extracting(fault -> fault.toString().replace(directory + "/", ""))
                                .containsExactly(
                                        "a.yaml:3:5: unknown key 'keys' in a descriptor; did you mean 'key'?",
                                        "a.yaml:3:5: a descriptor has no 'key'; it needs one",
                                        "a.yaml:5:5: unknown key 'valu' in the descriptor 'y'; did you mean 'value'?",
                                        "b.yml:1:9: the domain 'a' is also in a.yaml; move all its descriptors into one file"));
    }

    @Test
    void path_thatIsNotThere_orHasNoFile_isAFault() {
        assertThatThrownBy(() -> EnvoyService.load(directory.resolve("none.yaml")))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageEndingWith("none.yaml:1:1: this file cannot be read: there is no such file");
        assertThatThrownBy(() -> EnvoyService.load(directory))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageEndingWith("there is no .yaml or .yml file in this directory");
    }

    @Test
    void hostileFiles_areFaults() throws IOException {
        assertThat(faults("domain: a\nx: " + "[".repeat(100_000))).hasSize(1);
        assertThat(faults("domain: &a b\ndescriptors: *a")).isNotEmpty();
        Path bytes = Files.write(directory.resolve("bytes.yaml"), new byte[] {'a', ':', ' ', (byte) 0xFF});
        assertThatThrownBy(() -> EnvoyService.load(bytes)).hasMessageContaining("this file is not UTF-8");
        StringBuilder many = new StringBuilder("domain: a\ndescriptors:\n");
        many.append("  - nokey: x\n".repeat(1_000));
        assertThat(faults(many.toString())).hasSize(101);
    }

    @Test
    void fortyDescriptors_areRead() {
        assertThat(read(EnvoyVectors.resource("forty-descriptors.yaml")).limits())
                .hasSize(40);
    }

    private static EnvoyConfiguration read(String text) {
        return EnvoyConfigurationReader.read("envoy.yaml", text);
    }

    private static List<Fault> faults(String text) {
        try {
            read(text);
            return List.of();
        } catch (ConfigurationException e) {
            return e.faults();
        }
    }
}

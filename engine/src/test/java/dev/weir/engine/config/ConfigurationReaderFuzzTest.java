package dev.weir.engine.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.schema.Faults;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A mutated file is either a configuration or has faults at locations that exist. */
@Tag("slow")
class ConfigurationReaderFuzzTest {
    private static final int ROUNDS = 1_000;
    private static final String[] SNIPPETS = {
        "[",
        "]",
        "{",
        "}",
        ":",
        ": ",
        "- ",
        "? ",
        "!",
        "!!int ",
        "&a ",
        "*a",
        "|",
        ">",
        "\"",
        "'",
        "#",
        " #",
        "%",
        "@",
        "`",
        "---\n",
        "...\n",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "  ",
        "${",
        "${A",
        "}",
        "${X:1}",
        "$${",
        "null",
        "~",
        "<<: ",
        "0",
        "-1",
        "999999999999999999999",
        "1e9",
        "\u00e9",
        "\u2028",
        "\u0085",
        "\ud83d\ude00",
        "\uFEFF",
        "%YAML 1.2\n",
        "%TAG ! x\n",
        "a: b: c",
        "limits:",
        "rate: ",
        "name: x",
        "/min",
        "*",
        "**",
        "|ip",
        "80%",
        "1s",
        ".inf",
        "\\",
        ","
    };

    private final ConfigurationReader reader = new ConfigurationReader(name -> name.equals("X") ? "5" : null);

    @ParameterizedTest
    @MethodSource("dev.weir.engine.config.Presets#names")
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void mutatedPreset_isReadOrHasFaultsAtTheirPlaces(String name) {
        String preset = Presets.text(name);
        for (int seed = 0; seed < ROUNDS; seed++) {
            byte[] bytes = mutated(preset, new Random(seed));
            Result result = reader.read("w.yaml", bytes);
            if (result instanceof Result.Rejected rejected) {
                assertThat(rejected.faults()).isNotEmpty();
                String[] lines = new String(bytes, StandardCharsets.UTF_8).split("\r\n|[\r\n]", -1);
                rejected.faults().forEach(fault -> assertPlace(lines, fault));
            } else {
                result.orThrow()
                        .limits()
                        .forEach(limit -> limit.rates().keySet().forEach(limit::policies));
            }
        }
    }

    @ParameterizedTest
    @MethodSource
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void hostileFile_isAnsweredSoon(String name, String yaml) {
        assertThat(yaml.length()).isLessThanOrEqualTo(ConfigurationReader.LARGEST);
        if (reader.read("w.yaml", yaml) instanceof Result.Rejected rejected) {
            assertThat(rejected.faults()).isNotEmpty().hasSizeLessThanOrEqualTo(Faults.MOST + 1);
        }
    }

    static Stream<Arguments> hostileFile_isAnsweredSoon() {
        return Stream.of(
                arguments("many unknown keys", lines(80_000, "key%d: x")),
                arguments("many limits", "limits:\n" + lines(30_000, "- { name: a%d, rate: %<d/s }")),
                arguments(
                        "many limits that hide none",
                        "limits:\n" + lines(18_000, "- { name: a%d, rate: 1%<d/100%<ds, burst: 9 }")),
                arguments(
                        "many limits of falling bursts",
                        "limits:\n"
                                + IntStream.range(1, 20_000)
                                        .mapToObj(i -> "- { name: a" + i + ", rate: " + i + "/s, burst: " + (99_999 - i)
                                                + " }\n")
                                        .collect(Collectors.joining())),
                arguments(
                        "many defaults and other exempt attributes",
                        "limits: []\ndefaults:\n" + lines(20_000, "  a%d: x") + "exempt:\n"
                                + lines(20_000, "  b%d: [x]")),
                arguments(
                        "many defaults and other penalties",
                        "limits: []\ndefaults:\n" + lines(20_000, "  a%d: x") + "penalty:\n  per:\n"
                                + lines(20_000, "  - b%d")),
                arguments("many equal limits", "limits:\n" + lines(30_000, "- { name: a, rate: 5/s }")),
                arguments(
                        "many bad zones", "limits:\n" + lines(20_000, "- { name: a%d, rate: 5/s, calendar: Europ/x }")),
                arguments(
                        "many classes and other rows",
                        "classify:\n- set: a\n  from: b\n  default: c\n  values:\n" + lines(30_000, "   x%d: y%<d")
                                + "limits:\n- name: l\n  by: a\n  rate:\n    default: 1/s\n"
                                + lines(30_000, "    z%d: 1/s")),
                arguments("many placeholders", "store: " + "${A:".repeat(250_000)),
                arguments("many escapes", "store: " + "$${".repeat(300_000)),
                arguments("many replaced", "limits: []\ndefaults:\n  a: " + "${X:1}".repeat(170_000)),
                arguments("long key", "? " + "k".repeat(1_000_000) + "\n: 1\n"),
                arguments(
                        "long rate", "limits:\n- name: a\n  rate: " + "1".repeat(500_000) + "/" + "1s".repeat(200_000)),
                arguments("long rate of spaces", "limits:\n- name: a\n  rate: \"1" + " ".repeat(1_000_000) + "x\""),
                arguments("long cost", "limits:\n- { name: a, rate: 1/s, cost: " + "a.".repeat(500_000) + "! }"),
                arguments("long key parts", "limits:\n- { name: a, rate: 1/s, per: \"" + "a|".repeat(500_000) + "\" }"),
                arguments("long percent", "limits:\n- { name: a, rate: 1/s, warn: " + "0".repeat(1_000_000) + " }"),
                arguments("long address", "trusted-proxies: \"" + ":".repeat(1_000_000) + "\""),
                arguments("open brackets", "[".repeat(1_000_000)),
                arguments("open keys", "? ".repeat(500_000)),
                arguments("open quotes", "a: \"" + "x\n".repeat(500_000)),
                arguments("many anchors", lines(50_000, "a%d: &a%<d x")),
                arguments("many tags", lines(50_000, "a%d: !t%<d x")),
                arguments("many documents", "---\n".repeat(250_000)),
                arguments("many comments", "#\n".repeat(500_000)),
                arguments("many commas", "a: [" + "x,".repeat(500_000) + "]"),
                arguments("one flow line", "a: {" + "x: 1, ".repeat(150_000) + "}"));
    }

    private static String lines(int count, String format) {
        return IntStream.range(0, count)
                .mapToObj(i -> String.format(format, i) + "\n")
                .collect(Collectors.joining());
    }

    private static void assertPlace(String[] lines, Fault fault) {
        assertThat(fault.line()).as(fault.toString()).isBetween(1, lines.length);
        int length = lines[fault.line() - 1].length();
        assertThat(fault.column()).as(fault.toString()).isBetween(1, length + 1);
        assertThat(fault.message()).isNotBlank().doesNotContain("\n", "\r", "Exception", "org.snakeyaml");
    }

    private static byte[] mutated(String text, Random random) {
        List<String> lines = new ArrayList<>(Arrays.asList(text.split("(?<=\n)")));
        for (int i = random.nextInt(4); i >= 0; i--) {
            int line = random.nextInt(lines.size());
            switch (random.nextInt(5)) {
                case 0 -> lines.remove(line);
                case 1 -> lines.add(line, lines.get(line));
                case 2 -> lines.add(random.nextInt(lines.size()), lines.remove(line));
                case 3 ->
                    lines.set(
                            line,
                            "  ".repeat(random.nextInt(3)) + lines.get(line).stripLeading());
                default -> lines.set(line, garbled(lines.get(line), random));
            }
        }
        byte[] bytes = String.join("", lines).getBytes(StandardCharsets.UTF_8);
        if (random.nextInt(8) == 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return random.nextInt(16) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    private static String garbled(String line, Random random) {
        int from = random.nextInt(line.length() + 1);
        int to = from + random.nextInt(Math.min(4, line.length() - from + 1));
        return line.substring(0, from) + SNIPPETS[random.nextInt(SNIPPETS.length)] + line.substring(to);
    }
}

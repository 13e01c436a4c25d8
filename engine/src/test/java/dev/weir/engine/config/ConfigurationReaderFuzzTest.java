package dev.weir.engine.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.config.ConfigurationReader.Result;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever becomes of a file, it is a configuration or has faults at places that exist. */
class ConfigurationReaderFuzzTest {
    private static final int ROUNDS = 2_000;
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
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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

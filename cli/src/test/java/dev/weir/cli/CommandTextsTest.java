package dev.weir.cli;

import static dev.weir.cli.JavaExample.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completions, the manual page and the help texts that the launcher prints without a build. */
@Tag("io")
class CommandTextsTest {
    private static final Path HELP = ROOT.resolve("docs/help");

    private final CommandTexts texts = new CommandTexts(Main.commandLine());

    @TempDir
    Path directory;

    /** With {@code -Dweir.help.write=true} the files are written. */
    @Test
    void helpFiles_areThoseOfTheCommands() throws IOException {
        Map<String, String> expected = new TreeMap<>();
        expected.put("weir.txt", texts.help(""));
        for (String name : Main.commandLine().getSubcommands().keySet()) {
            expected.put(name + ".txt", texts.help(name));
        }
        if (Boolean.getBoolean("weir.help.write")) {
            Files.createDirectories(HELP);
            for (Map.Entry<String, String> text : expected.entrySet()) {
                Files.writeString(HELP.resolve(text.getKey()), text.getValue());
            }
        }
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> files = Files.list(HELP)) {
            for (Path file : files.toList()) {
                found.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        assertThat(found)
                .as("docs/help; run this test with -Dweir.test.args=-Dweir.help.write=true to write it anew")
                .isEqualTo(expected);
    }

    @Test
    void launcher_printsHelpWithoutBuildingAnything() throws Exception {
        // A copy without sources: a build would fail.
        Files.copy(ROOT.resolve("weir"), directory.resolve("weir"));
        Path help = Files.createDirectories(directory.resolve("docs/help"));
        try (Stream<Path> files = Files.list(HELP)) {
            for (Path file : files.toList()) {
                Files.copy(file, help.resolve(file.getFileName().toString()));
            }
        }
        for (String[] arguments : new String[][] {
            {"bench", "--help"}, {"simulate", "a.log", "-h"}, {"help", "serve"}, {"--help"}, {}, {"help"}
        }) {
            String name = arguments.length == 0 || arguments[0].startsWith("-")
                    ? ""
                    : arguments[0].equals("help") ? (arguments.length > 1 ? arguments[1] : "") : arguments[0];
            assertThat(output("bash", concat(directory.resolve("weir").toString(), arguments)))
                    .isEqualTo(texts.help(name));
        }
        assertThat(directory.resolve("target")).doesNotExist();
    }

    @Test
    void bash_completesCommandsAndOptions() throws Exception {
        Path script = Files.writeString(directory.resolve("weir.bash"), texts.bash());
        assertThat(complete(script, "weir si")).contains("simulate");
        assertThat(complete(script, "weir simulate --ag")).contains("--against");
        assertThat(complete(script, "weir top --so")).contains("--sort").doesNotContain("--against");
    }

    private String complete(Path script, String line) throws Exception {
        return output(
                "bash",
                "-c",
                ". " + script + "; COMP_WORDS=(" + line + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weir;"
                        + " printf '%s\\n' \"${COMPREPLY[@]}\"");
    }

    /** Bash of macOS has neither mapfile nor empty arrays under set -u. */
    @Test
    void bash_usesNothingNewerThanVersion3() throws Exception {
        assertThat(texts.bash()).doesNotContain("mapfile", "readarray", "${!", "declare -A");
        Path script = Files.writeString(directory.resolve("weir.bash"), texts.bash());
        Files.writeString(directory.resolve("a log.txt"), "");
        assertThat(complete(script, "weir simulate '" + directory + "/a'")).contains("a log.txt");
        assertThat(complete(script, "weir help si").strip()).isEqualTo("simulate");
        assertThat(complete(script, "weir completion z").strip()).isEqualTo("zsh");
        assertThat(complete(script, "weir serve --preset ag").strip()).isEqualTo("agent-hub");
    }

    /** Types a line and a tab into an interactive zsh, where weir is a function that prints its arguments. */
    @Test
    void zsh_completesCommandsAndOptions() throws Exception {
        Files.writeString(directory.resolve("_weir"), texts.zsh());
        Files.writeString(directory.resolve("access.log"), "");
        assertThat(zsh("weir sim")).isEqualTo("simulate");
        assertThat(zsh("weir simulate --ag")).isEqualTo("simulate --against");
        assertThat(zsh("weir top --onc")).isEqualTo("top --once");
        assertThat(zsh("weir simulate acc")).isEqualTo("simulate access.log");
        assertThat(zsh("weir help sim")).isEqualTo("help simulate");
        assertThat(zsh("weir completion z")).isEqualTo("completion zsh");
        assertThat(zsh("weir serve --preset ag")).isEqualTo("serve --preset agent-hub");
    }

    private String zsh(String line) throws Exception {
        Path script = Files.writeString(directory.resolve("type.zsh"), """
                zmodload zsh/zpty
                zpty shell zsh -f -i
                zpty -w shell "PS1=; cd $1; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D"
                zpty -w shell 'weir() { print -r -- "<$*>" }; print -r -- rea$((1))dy'
                text=''
                while [[ $text != *rea1dy* ]] && zpty -r shell part; do text+=$part; done
                zpty -w -n shell "$2"$'\t\r'
                text=''
                while [[ $text != *'<'*'>'* ]] && zpty -r shell part; do text+=$part; done
                text=${text#*'<'}
                print -r -- ${text%%'>'*}
                """);
        return output("zsh", "-f", script.toString(), directory.toString(), line)
                .strip();
    }

    @Test
    void fish_completesCommandsAndOptions() throws Exception {
        Path script = Files.writeString(directory.resolve("weir.fish"), texts.fish());
        Files.writeString(directory.resolve("access.log"), "");
        assertThat(fish(script, "weir sim")).startsWith("simulate\tReplay access logs");
        assertThat(fish(script, "weir simulate --ag")).startsWith("--against\t");
        assertThat(fish(script, "weir simulate acc")).isEqualTo("access.log\n");
        assertThat(fish(script, "weir audit acc")).isEmpty();
        assertThat(fish(script, "weir help sim")).startsWith("simulate");
        assertThat(fish(script, "weir completion z")).startsWith("zsh");
        assertThat(fish(script, "weir serve --preset ag")).startsWith("agent-hub");
    }

    private String fish(Path script, String line) throws Exception {
        return output(
                "fish", "--no-config", "-c", "cd " + directory + "; source " + script + "; complete -C '" + line + "'");
    }

    /** Neither formatter finds a fault; the date is missing on purpose, so that equal sources give equal files. */
    @Test
    void manual_isFormattedWithoutWarnings() throws Exception {
        Path page = Files.writeString(directory.resolve("weir.1"), texts.manual("weir 1"));
        assertThat(output("mandoc", "-T", "lint", "-W", "warning", page.toString())
                        .lines()
                        .filter(line -> !line.contains("missing date")))
                .isEmpty();
        String text = output("groff", "-man", "-ww", "-Tutf8", "-P-cbou", page.toString());
        assertThat(text)
                .contains("weir simulate", "--against FILE", "WEIR_ADMIN_TOKEN")
                .doesNotContain(": warning:", "${DEFAULT", "%%", "@|", "WEIR_ADMIN_TO\u2010");
    }

    @Test
    void everyCommandAndOption_isInAllCompletionsAndTheManual() {
        String manual = texts.manual("weir 1");
        Main.commandLine().getSubcommands().forEach((name, command) -> {
            assertThat(manual).contains(".SS weir " + name + "\n");
            command.getCommandSpec().options().forEach(option -> {
                String longest = option.longestName();
                assertThat(texts.zsh()).contains("'" + longest + "[");
                assertThat(texts.fish()).contains("from " + name + "' -l " + longest.substring(2));
                assertThat(manual).contains(longest.replace("-", "\\-"));
            });
        });
    }

    private static String[] concat(String first, String[] rest) {
        return Stream.concat(Stream.of(first), Stream.of(rest)).toArray(String[]::new);
    }

    private static String output(String program, String... arguments) throws Exception {
        Process process = new ProcessBuilder(concat(program, arguments))
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text;
    }
}

package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void weir_withoutArguments_listsEveryCommand() {
        assertThat(run()).isZero();
        assertThat(out.toString()).contains("Commands:", "  demo ", "  validate ", "  bench ", "  test ");
    }

    @Test
    void help_ofTheWhole_isTheSameAsNoArguments() {
        run();
        String bare = out.toString();
        out.getBuffer().setLength(0);

        assertThat(run("--help")).isZero();
        assertThat(out.toString()).isEqualTo(bare);
    }

    @Test
    void help_ofEveryCommand_namesIt() {
        for (String name : Main.commandLine().getSubcommands().keySet()) {
            assertThat(run(name, "--help")).isZero();
            assertThat(out.toString()).contains("Usage: weir " + name);
        }
    }

    @Test
    void version_namesWeirAndJava() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString()).contains("weir ", "Java " + System.getProperty("java.version"));
    }

    @Test
    void unknownCommand_isRefusedWithTheNearest() {
        assertThat(run("dmeo")).isEqualTo(64);
        assertThat(err.toString()).startsWith("weir: unknown command 'dmeo'; did you mean 'demo'?");
    }

    @Test
    void unknownCommand_nearNothing_isRefusedWithoutASuggestion() {
        assertThat(run("xyzzy")).isEqualTo(64);
        assertThat(err.toString()).startsWith("weir: unknown command 'xyzzy'\n'weir --help' lists the options.");
    }

    @Test
    void unknownOption_isRefusedWithTheNearest() {
        assertThat(run("demo", "--hepl=1")).isEqualTo(64);
        assertThat(err.toString()).startsWith("weir: unknown option '--hepl'; did you mean '--help'?");
    }

    @Test
    void surplusArgument_isRefused() {
        assertThat(run("demo", "extra")).isEqualTo(64);
        assertThat(err.toString()).startsWith("weir: 'extra' is one argument too many");
    }

    @Test
    void test_withoutTheLauncher_saysWhereToRunIt() {
        assertThat(run("test")).isEqualTo(64);
        assertThat(err.toString()).contains("run ./weir test");
    }

    private int run(String... args) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .execute(args);
    }
}

package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.DurationText;
import dev.weir.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class ValidateCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    @Test
    void goodFile_isSummedUp() throws Exception {
        Path file = write("""
                store: redis://user:secret@localhost:6379/1?password=secret
                limits:
                  - name: general
                    match: { channel: [http, null] }
                    per: [tenant, "user|ip"]
                    by: plan
                    rate: { free: 60/min, default: [10/s, 300/min] }
                    warn: 80%
                  - { name: all, rate: 3, algorithm: concurrency, shadow: true }
                  - { name: tokens, per: user, rate: 9/day, algorithm: fixed-window, cost: tokens, calendar: UTC }
                """);

        assertThat(run("validate", file.toString())).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString()).isEqualTo("""
                        3 limits, store redis://...@localhost:6379/1?...

                        LIMIT    PER              RATE                      ALGORITHM     REMARKS
                        general  tenant, user|ip  60/min free               token-bucket  if channel is http or absent; by plan; warns at 80%
                                                  10/s and 300/min default
                        all      (all together)   3                         concurrency   shadow: never denies
                        tokens   user             9/day                     fixed-window  cost is tokens; turns with the clock of UTC
                        """);
    }

    @Test
    void probableMistake_isAWarningBelowTheLimits() throws Exception {
        Path file = write("""
                limits:
                  - { name: general, per: [usr], rate: 60/min, on-missing: deny }
                """);

        assertThat(run("validate", file.toString())).isZero();
        assertThat(out.toString()).isEqualTo("""
                        1 limit, store memory

                        LIMIT    PER  RATE    ALGORITHM     REMARKS
                        general  usr  60/min  token-bucket  denies without usr

                        warning: %s:2:28: per names 'usr', which neither 'defaults' nor 'classify' sets; did you mean 'user'?
                        """.formatted(file));
    }

    @Test
    void threeFaults_areReportedInOneRun_eachWithItsPlace() throws Exception {
        Path file = write("""
                limits:
                  - name: general
                    rate: 60/mni
                    burts: 5
                  - name: other
                    rate: 5/s
                    warn: 180%
                """);

        assertThat(run("validate", file.toString())).isEqualTo(1);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().lines())
                .hasSize(3)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith(file + ":3:11: rate is '60/mni'; ")
                                .endsWith("'min'?"),
                        line -> assertThat(line)
                                .isEqualTo(
                                        file + ":4:5: unknown key 'burts' in limit 'general'; did you mean 'burst'?"),
                        line -> assertThat(line).isEqualTo(file + ":7:11: warn is '180%'; it must be 1% to 100%"));
    }

    @Test
    void fileThatCannotBeRead_isAFault() throws Exception {
        Path missing = directory.resolve("missing.yaml");
        assertThat(run("validate", missing.toString())).isEqualTo(1);
        assertThat(err.toString()).isEqualTo(missing + ":1:1: there is no such file" + System.lineSeparator());

        assertThat(run("validate", directory.toString())).isEqualTo(1);
        assertThat(err.toString()).contains(directory + ":1:1: this is a directory; it must be a file");

        Path binary = directory.resolve("binary");
        Files.write(binary, new byte[] {(byte) 0xca, (byte) 0xfe, (byte) 0xba, (byte) 0xbe, 0, 0});
        assertThat(run("validate", binary.toString())).isEqualTo(1);
        assertThat(err.toString()).contains(binary + ":1:1: the byte 0xCA is not UTF-8 here");
    }

    @Test
    void summary_namesClassifyPenaltyExemptAndAlerts() throws Exception {
        Path file = write("""
                classify:
                  - { set: tier, from: action, values: { light: [ping], heavy: [submit] }, default: normal }
                limits:
                  - { name: agent, per: [agent, tier], rate: 60/min }
                penalty: { per: [agent], backoff: [1s, 5s], reset-after: 60s }
                exempt: { agent: [dashboard, probe] }
                alerts:
                  - { violations: 10, within: 5m, per: [agent], webhook: "https://example.org/hook" }
                  - { denied-share: 50%, within: 5m }
                """);
        assertThat(run("validate", file.toString())).isZero();
        assertThat(out.toString()).endsWith("""

                        classify: tier from action: light, heavy, else normal
                        penalty: per agent, backoff 1s, 5s, reset after 60s, reported only
                        exempt: agent dashboard, probe
                        alert: 10 violations within 5m per agent, sent to a webhook
                        alert: 50 % denied within 5m
                        """.replace("60s", DurationText.of(Duration.ofSeconds(60))));
    }

    @Test
    void strict_turnsWarningsIntoErrors() throws Exception {
        Path file = write("limits: []\n");
        assertThat(run("validate", file.toString())).isZero();
        assertThat(out.toString()).contains("warning: " + file + ":1:9: limits is an empty list");
        assertThat(run("validate", "--strict", file.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("error: " + file + ":1:9: limits is an empty list");
    }

    @Test
    void severalFiles_areAllChecked() throws Exception {
        Path good = write("limits: [{ name: a, rate: 1/s }]\n");
        Path bad = Files.writeString(directory.resolve("bad.yaml"), "limits: 3\n");
        assertThat(run("validate", bad.toString(), good.toString())).isEqualTo(1);
        assertThat(err.toString()).contains(bad + ":1:9: ");
        assertThat(out.toString()).contains(good + ":", "1 limit, store memory");
    }

    @Test
    void standardInput_isRead() {
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream("limits: [{ name: a, rat: 1/s }]".getBytes(StandardCharsets.UTF_8)));
            assertThat(run("validate", "-")).isEqualTo(1);
        } finally {
            System.setIn(before);
        }
        assertThat(err.toString()).startsWith("-:1:");
        assertThat(run("validate", "-", "-")).isEqualTo(64);
    }

    @Test
    void json_hasFaultsAndWarningsOfEveryFile() throws Exception {
        Path good = write("limits: []\n");
        Path bad = Files.writeString(directory.resolve("bad.yaml"), "limits: 3\n");
        assertThat(run("validate", "--json", good.toString(), bad.toString())).isEqualTo(1);
        assertThat(out.toString())
                .startsWith("{\"valid\":false,\"files\":[{\"file\":\"" + good + "\",\"valid\":true,\"limits\":[],"
                        + "\"faults\":[],\"warnings\":[{\"line\":1,\"column\":9,\"message\":\"limits is an empty list")
                .contains("{\"file\":\"" + bad + "\",\"valid\":false,\"limits\":[],\"faults\":[{\"line\":1,");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void github_annotatesTheLines() throws Exception {
        Path file = Files.writeString(directory.resolve("a,b.yaml"), "limits: [{ name: a, rate: 100%/s }]\n");
        assertThat(run("validate", "--format", "github", file.toString())).isEqualTo(1);
        assertThat(out.toString())
                .startsWith("::error file=" + directory + "/a%2Cb.yaml,line=1,col=27::rate is '100%25/s'; ");
        Path odd = write("limits: []\n");
        out.getBuffer().setLength(0);
        assertThat(run("validate", "--format", "github", odd.toString())).isZero();
        assertThat(out.toString()).startsWith("::warning file=");
    }

    @Test
    void terminal_showsTheLineWithACaret_inColourUnlessRefused() throws Exception {
        Path file = write("limits:\n  - { name: a, rate: 1/mni }\n");
        assertThat(run(new Terminal(true, true, false), "validate", file.toString()))
                .isEqualTo(1);
        assertThat(err.toString().lines().skip(1))
                .containsExactly("  2 |   - { name: a, rate: 1/mni }", "    |                      ^");
        err.getBuffer().setLength(0);
        run(new Terminal(true, true, true), "validate", file.toString());
        assertThat(err.toString()).contains("\u001b[31m", "^\u001b[0m");
    }

    @Test
    void noFile_isAMisuse() {
        assertThat(run("validate")).isEqualTo(64);
        assertThat(err.toString()).contains("Missing required parameter: 'FILE'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent-hub", "ai-saas", "credential-api", "device-ingest", "chat"})
    void preset_isGood(String name) {
        assertThat(run("validate", "../presets/" + name + ".yaml")).isZero();
        assertThat(out.toString()).contains("LIMIT  ");
    }

    private Path write(String yaml) throws Exception {
        return Files.writeString(directory.resolve("weir.yaml"), yaml);
    }

    private int run(String... args) {
        return run(Terminal.NONE, args);
    }

    private int run(Terminal terminal, String... args) {
        return Main.commandLine(terminal)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .execute(args);
    }
}

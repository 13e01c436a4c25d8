package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.terminal.Terminal;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class SimulateCommandTest {
    private static final String LOG = """
            203.0.113.7 - - [01/Nov/2026:10:00:00 +0000] "GET /api/x?page=1 HTTP/1.1" 200 12
            203.0.113.7 - - [01/Nov/2026:10:00:01 +0000] "GET /api/x HTTP/1.1" 200 12 "-" "curl/8"
            203.0.113.7 - - [01/Nov/2026:10:00:02 +0000] "GET /api/y HTTP/1.1" 200 12
            198.51.100.1 - ann [01/Nov/2026:12:00:02 +0200] "POST /api/x HTTP/1.1" 200 12
            what is this
            203.0.113.7 - - [01/Nov/2026:10:00:32 +0000] "GET /api/x HTTP/1.1" 200 12
            203.0.113.7 - - [01/Nov/2026:10:00:33 +0000] "GET /health HTTP/1.1" 200 12
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    private String config;

    @BeforeEach
    void writeConfiguration() throws Exception {
        // Two at once, and one more comes back every 30 seconds.
        config = write("weir.yaml", """
                store: redis://nobody.invalid
                limits:
                  - { name: api, match: { path: "/api/**" }, per: [ip], rate: 2/min }
                  - { name: writes, match: { method: POST }, rate: 0/min, shadow: true }
                alerts:
                  - { violations: 1, within: 5m, webhook: "http://127.0.0.1:1/" }
                """);
    }

    @Test
    void log_isDecidedByItsOwnTime_andWhoIsRefusedIsTold() throws Exception {
        assertThat(run("simulate", "--config", config, write("access.log", LOG)))
                .as("%s", err)
                .isZero();
        assertThat(out.toString()).isEqualTo("""
                        6 requests from 2026-11-01T10:00:00Z to 2026-11-01T10:00:33Z
                        1 line was not understood and left out, the first in line 5
                        allowed 4, denied 1 (16.7 %), not limited 1

                        LIMIT   ASKED  WOULD DENY  SHARE    IDENTITIES DENIED  FIRST DENIED
                        api     5      1           20.0 %   1 of 2             2026-11-01T10:00:02Z
                        writes  1      1           100.0 %  1 of 1             2026-11-01T10:00:02Z  shadow: reports only

                        MOST USED IN A PERIOD, BY IDENTITY  RATE   P50    P95    P99    MAX    DENIES AT MOST 0.1 %
                        api                                 2/min  50 %   200 %  200 %  200 %  about 4/min
                        writes                              0/min  100 %  100 %  100 %  100 %  about 1/min

                        DENIED BY HOUR (UTC)     SHARE
                        2026-11-01 10:00      1  16.7 %  ████████████████████████████████████████

                        MOST DENIED     TIMES
                        ip=203.0.113.7  1
                        """);
    }

    @Test
    void json_saysTheSameForPrograms() throws Exception {
        assertThat(run("simulate", "--config", config, "--json", write("access.log", LOG)))
                .isZero();
        assertThat(out.toString().strip())
                .isEqualTo("{\"requests\":6,\"allowed\":4,\"refused\":1,\"not_limited\":1,\"rejected\":0,\"lines\":7,"
                        + "\"lines_skipped\":1,\"lines_sorted\":0,\"lines_late\":0,"
                        + "\"from\":\"2026-11-01T10:00:00Z\",\"to\":\"2026-11-01T10:00:33Z\",\"limits\":["
                        + "{\"name\":\"api\",\"asked\":5,\"refused\":1,\"identities\":2,\"identities_refused\":1,"
                        + "\"shadow\":false,\"first_refusal\":\"2026-11-01T10:00:02Z\",\"rates\":[{\"row\":\"default\","
                        + "\"rate\":\"2/min\",\"highest_use_percent\":{\"p50\":50,\"p95\":200,\"p99\":200,\"max\":200},"
                        + "\"refuses_at_most_0_1_percent\":\"4/min\"}]},"
                        + "{\"name\":\"writes\",\"asked\":1,\"refused\":1,\"identities\":1,\"identities_refused\":1,"
                        + "\"shadow\":true,\"first_refusal\":\"2026-11-01T10:00:02Z\",\"rates\":[{\"row\":\"default\","
                        + "\"rate\":\"0/min\",\"highest_use_percent\":{\"p50\":100,\"p95\":100,\"p99\":100,\"max\":100},"
                        + "\"refuses_at_most_0_1_percent\":\"1/min\"}]}],"
                        + "\"hours\":[{\"at\":1793527200,\"requests\":6,\"refused\":1}],"
                        + "\"most_refused\":[{\"subject\":\"ip=203.0.113.7\",\"times\":1}]}");
    }

    @Test
    void linesOfJson_giveTheirFieldsAsAttributes() throws Exception {
        String lines = """
                {"time":"2026-11-01T10:00:00Z","remote_addr":"::1","request_uri":"/api/x","extra":{"deep":[1]}}
                {"msec":1793527200.250,"remote_addr":"::1","request_uri":"/api/x","status":200}
                {"ts":1793527201,"remote_addr":"::1","request_uri":"/api/x"}
                {"remote_addr":"::1","request_uri":"/api/x"}
                {"time":"2026-11-01T10:00:00Z","remote_addr":
                """;
        assertThat(run("simulate", "--config", config, write("log.json", lines)))
                .isZero();
        assertThat(out.toString())
                .contains("3 requests from", "2 lines were not understood", "first in line 4", "denied 1 (33.3 %)");
    }

    @Test
    void zippedLog_isUnzipped() throws Exception {
        Path zipped = directory.resolve("access.log.gz");
        try (OutputStream stream = new GZIPOutputStream(Files.newOutputStream(zipped))) {
            stream.write(LOG.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(run("simulate", "--config", config, zipped.toString())).isZero();
        assertThat(out.toString()).contains("6 requests");
    }

    @Test
    void constants_areAttributesOfEveryLineThatLacksThem() throws Exception {
        String log = write("access.log", LOG);
        assertThat(run("simulate", "--preset", "ai-saas", "--set", "user=u1", "--set", "plan=free", log))
                .isZero();
        assertThat(out.toString()).containsPattern("general +\\d").contains("allowed 6, denied 0");
    }

    @Test
    void constants_thatAreEmptyOrGivenTwice_areRefused() throws Exception {
        String log = write("access.log", LOG);
        assertThat(run("simulate", "--config", config, "--set", "plan=", log)).isEqualTo(64);
        assertThat(err.toString()).contains("attribute 'plan' is empty; give it a value, or leave it out");
        assertThat(run("simulate", "--config", config, "--set", "plan=a", "--set", "plan=b", log))
                .isEqualTo(64);
        assertThat(err.toString()).contains("attribute 'plan' is given twice; give it once");
    }

    @Test
    void hostileLines_areLeftOutOrShownAsText() throws Exception {
        String log = write(
                "access.log",
                "x".repeat(1_000_000) + "\n\n\u0000\n"
                        + "203.0.113.7 - - [99/Foo/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 1\n"
                        + "a\u001b[31m\u202e - - [01/Nov/2026:10:00:00 +0000] \"GET /api/x HTTP/1.1\" 200 1\n".repeat(3)
                        + "b - - [01/Nov/2096:10:00:00 +0000] \"GET /api/x HTTP/1.1\" 200 1\n"
                        + "c - - [01/Nov/2026:10:00:00 +0000] \"\\x16\\x03\" 400 1\n"
                        + "d - - [01/Nov/2026:10:00:00 +0000] \"GET /" + "y".repeat(9_000) + " HTTP/1.1\" 400 1\n");
        assertThat(run("simulate", "--config", config, log)).isZero();
        assertThat(out.toString())
                .contains("4 requests", "5 lines were not understood", "ip=a\\u001b[31m\\u202e  1")
                .doesNotContain("\u001b", "\u202e");
    }

    @Test
    void whatCannotBeUsed_isSaid() throws Exception {
        String log = write("access.log", LOG);
        assertThat(run("simulate", log)).isEqualTo(64);
        assertThat(err.toString()).contains("give either --config FILE or --preset NAME");
        assertThat(run("simulate", "--preset", "agent-hbu", log)).isEqualTo(64);
        assertThat(err.toString()).contains("agent-hub");
        assertThat(run("simulate", "--config", write("bad.yaml", "limits: [{ name: a, rate: 1/mni }]"), log))
                .isEqualTo(1);
        assertThat(err.toString()).contains("bad.yaml:1:");
        assertThat(run("simulate", "--config", config, directory.resolve("none").toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("there is no log");
        assertThat(run("simulate", "--config", config, write("empty", ""))).isEqualTo(1);
        assertThat(err.toString()).contains("is empty");
        assertThat(run("simulate", "--config", config, write("prose", "Call me Ishmael.\n")))
                .isEqualTo(1);
        assertThat(err.toString()).contains("no line of");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void reversedLog_isRefusedWithTheCure() throws Exception {
        String[] lines = requests(20_000, 1);
        Collections.reverse(Arrays.asList(lines));
        assertThat(run("simulate", "--config", config, write("access.log", String.join("", lines))))
                .isEqualTo(1);
        assertThat(err.toString())
                .contains("is not in the order of time: line 8193 has the time", "before line 1", "tac LOG");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void linesALittleOutOfOrder_areSorted() throws Exception {
        String[] lines = requests(2_000, 1);
        String ordered = write("ordered.log", String.join("", lines));
        // Blocks of thirty seconds, each reversed.
        for (int i = 0; i + 30 <= lines.length; i += 30) {
            Collections.reverse(Arrays.asList(lines).subList(i, i + 30));
        }
        assertThat(run("simulate", "--config", config, ordered)).isZero();
        String expected = out.toString();
        out.getBuffer().setLength(0);
        assertThat(run("simulate", "--config", config, write("access.log", String.join("", lines))))
                .as("%s", err)
                .isZero();
        assertThat(out.toString()).contains("lines were out of order and sorted");
        assertThat(out.toString().replaceFirst("(?m)^.*out of order and sorted\n", ""))
                .isEqualTo(expected);
    }

    @Test
    void fewLateLines_areLeftOutAndCounted() throws Exception {
        String[] lines = requests(20_000, 1);
        lines[15_000] += lines[0];
        assertThat(run("simulate", "--config", config, write("access.log", String.join("", lines))))
                .as("%s", err)
                .isZero();
        assertThat(out.toString())
                .contains("20,000 requests", "1 line was too late to be sorted and left out, the first in line 15002");
    }

    @Test
    void severalFiles_areMergedByTime_inWhateverOrderTheyAreGiven() throws Exception {
        String[] lines = requests(3_000, 1);
        String all = write("all.log", String.join("", lines));
        String early = write("early.log", String.join("", Arrays.copyOfRange(lines, 0, 1_000)));
        String late = write("late.log", String.join("", Arrays.copyOfRange(lines, 2_000, 3_000)));
        Path middle = directory.resolve("middle.gz");
        try (OutputStream stream = new GZIPOutputStream(Files.newOutputStream(middle))) {
            stream.write(
                    String.join("", Arrays.copyOfRange(lines, 1_000, 2_000)).getBytes(StandardCharsets.UTF_8));
        }
        assertThat(run("simulate", "--config", config, all)).isZero();
        String expected = out.toString();
        out.getBuffer().setLength(0);
        assertThat(run("simulate", "--config", config, late, middle.toString(), early))
                .as("%s", err)
                .isZero();
        assertThat(out.toString()).isEqualTo(expected);
    }

    @Test
    void against_tellsWhichRequestsAreDecidedDifferently() throws Exception {
        String log = write("access.log", LOG);
        String stricter =
                write("new.yaml", "limits: [{ name: api, match: { path: \"/api/**\" }, per: [ip], rate: 1/min }]");
        assertThat(run("simulate", "--config", stricter, "--against", config, log))
                .as("%s", err)
                .isZero();
        assertThat(out.toString())
                .contains(
                        "Against the other configuration: denied 1 → 3; newly denied 2 of 1 identity, no longer"
                                + " denied 0 of 0 identities",
                        "api     1              3",
                        "writes  1              (no such limit)",
                        "NEWLY DENIED    TIMES\nip=203.0.113.7  2");
        out.getBuffer().setLength(0);
        assertThat(run("simulate", "--config", stricter, "--against", config, "--json", log))
                .isZero();
        assertThat(out.toString()).contains("\"against\":{\"refused\":1,\"newly_refused\":2,");
        assertThat(run("simulate", "--config", stricter, "--against", write("bad.yaml", "limits: 3"), log))
                .isEqualTo(1);
        assertThat(err.toString()).contains("bad.yaml:1:");
    }

    @Test
    void html_isOnePageThatNeedsNothingElse() throws Exception {
        String log = write(
                "access.log",
                LOG + "<script> - - [01/Nov/2026:10:01:33 +0000] \"GET /api/x HTTP/1.1\" 200 12\n".repeat(5));
        Path page = directory.resolve("report.html");
        assertThat(run("simulate", "--config", config, "--html", page.toString(), log))
                .as("%s", err)
                .isZero();
        assertThat(Files.readString(page))
                .startsWith("<!doctype html>")
                .contains("<svg ", "Most denied", "ip=&lt;script&gt;", "2026-11-01 10:00: 11 requests, 4 denied")
                .doesNotContain("<script", "http://", "https://", "url(");
        assertThat(run(
                        "simulate",
                        "--config",
                        config,
                        "--html",
                        directory.resolve("no/where").toString(),
                        log))
                .isEqualTo(1);
        assertThat(err.toString()).contains("--html", "cannot be written");
        assertThat(out.toString().split("MOST DENIED", -1))
                .as("the result of the long replay is printed nevertheless")
                .hasSize(3);
    }

    @Test
    void suggest_proposesRatesThatAReplayConfirms() throws Exception {
        String log = write("access.log", String.join("", requests(5_000, 40)));
        assertThat(run("simulate", "--config", config, "--suggest", log))
                .as("%s", err)
                .isZero();
        Matcher rate = Pattern.compile("(?m)^api +(\\d+)/min +(\\d+) of 5,000").matcher(out.toString());
        assertThat(rate.find()).as("%s", out).isTrue();
        assertThat(Integer.parseInt(rate.group(2))).isLessThanOrEqualTo(5);

        String changed = Files.readString(Path.of(config)).replace("rate: 2/min", "rate: " + rate.group(1) + "/min");
        out.getBuffer().setLength(0);
        assertThat(run("simulate", "--config", write("changed.yaml", changed), "--json", log))
                .isZero();
        assertThat(out.toString()).contains("\"refused\":" + rate.group(2) + ",");
    }

    @Test
    void progress_isShownOnATerminalOnly() throws Exception {
        String log = write("access.log", String.join("", requests(400_000, 100)));
        run("simulate", "--config", config, log);
        assertThat(err.toString()).isEmpty();
        Main.commandLine(new Terminal(false, true, false))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute("simulate", "--config", config, log);
        assertThat(err.toString()).endsWith("\r\u001b[K");
        assertThat(err.toString().replace("\r\u001b[K", "\n").strip().lines())
                .allSatisfy(line -> assertThat(line).matches("[\\d,]+ lines, [\\d,]+ a second, \\d+ %, \\d+ s left"));
    }

    /** Lines of so many requests, some each second, from ten addresses. */
    private static String[] requests(int count, int eachSecond) {
        DateTimeFormatter format = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);
        OffsetDateTime start = OffsetDateTime.parse("2026-11-01T10:00:00Z");
        String[] lines = new String[count];
        for (int i = 0; i < count; i++) {
            lines[i] = "203.0.113." + i * 7 % 10 + " - - ["
                    + start.plusSeconds(i / eachSecond).format(format) + "] \"GET /api/" + i % 50
                    + " HTTP/1.1\" 200 12\n";
        }
        return lines;
    }

    private String write(String name, String text) throws Exception {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private int run(String... args) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .execute(args);
    }
}

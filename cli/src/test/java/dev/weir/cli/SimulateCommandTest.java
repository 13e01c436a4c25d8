package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
                        allowed 4, refused 1 (16.7 %), not limited 1

                        LIMIT   ASKED  WOULD REFUSE  SHARE    FIRST REFUSAL
                        api     5      1             20.0 %   2026-11-01T10:00:02Z
                        writes  1      1             100.0 %  2026-11-01T10:00:02Z  shadow: reports only

                        MOST REFUSED    TIMES
                        ip=203.0.113.7  1
                        """);
    }

    @Test
    void json_saysTheSameForPrograms() throws Exception {
        assertThat(run("simulate", "--config", config, "--json", write("access.log", LOG)))
                .isZero();
        assertThat(out.toString().strip())
                .isEqualTo("{\"requests\":6,\"allowed\":4,\"refused\":1,\"not_limited\":1,\"lines_skipped\":1,"
                        + "\"from\":\"2026-11-01T10:00:00Z\",\"to\":\"2026-11-01T10:00:33Z\",\"limits\":["
                        + "{\"name\":\"api\",\"asked\":5,\"refused\":1,\"shadow\":false,\"first_refusal\":\"2026-11-01T10:00:02Z\"},"
                        + "{\"name\":\"writes\",\"asked\":1,\"refused\":1,\"shadow\":true,\"first_refusal\":\"2026-11-01T10:00:02Z\"}],"
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
                .contains("3 requests from", "2 lines were not understood", "first in line 4", "refused 1 (33.3 %)");
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
        assertThat(out.toString()).containsPattern("general +\\d").contains("allowed 6, refused 0");
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
        assertThat(run("simulate", log)).isEqualTo(2);
        assertThat(err.toString()).contains("give either --config FILE or --preset NAME");
        assertThat(run("simulate", "--preset", "agent-hbu", log)).isEqualTo(2);
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

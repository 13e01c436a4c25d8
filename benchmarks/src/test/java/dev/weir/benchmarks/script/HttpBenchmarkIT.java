package dev.weir.benchmarks.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code benchmarks/http/run} works, and stops at unexpected responses. */
final class HttpBenchmarkIT {
    @TempDir
    private Path copy;

    @Test
    void run_shortest_measuresEveryContestant() throws Exception {
        ScriptRun run = ScriptRun.shortest("http");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains("| median |", "% of hello; WebSocket is");
    }

    @Test
    void run_requestsWithoutHost_fails() throws Exception {
        // Requests that are formatted before wrk calls init have no Host header.
        ScriptRun run = ScriptRun.shortestWith(copy, "http", "check.lua", "function init()", "do");
        assertFailed(run, "weir: expected 200, found another status in ");
    }

    @Test
    void run_limitThatRefuses_fails() throws Exception {
        ScriptRun run = ScriptRun.shortestWith(
                copy, "http", "run", "per: [user], rate: 100_000_000/min", "per: [], rate: 1/day");
        assertFailed(run, "weir: expected 200, found another status in ");
    }

    @Test
    void run_bodyThatChangesLater_fails() throws Exception {
        ScriptRun run = ScriptRun.shortestWith(
                copy,
                "http",
                "Hello.java",
                "end(HELLO)",
                "end(request.getHeader(\"User-Agent\") == null ? Buffer.buffer(\"hello\".repeat(9)) : HELLO)");
        assertFailed(run, "hello: expected about 43 bytes an answer, found ");
    }

    @Test
    void run_loadThatFindsAnotherAnswer_fails() throws Exception {
        ScriptRun run = ScriptRun.shortestWith(copy, "http", "Load.java", "\\\"general\\\",", "\\\"other\\\",");
        assertFailed(run, "weir: load http 16 failed");
        assertThat(run.output()).contains("expected {\"allowed\":true,\"reason\":null,\"limit\":\"other\",");
    }

    private static void assertFailed(ScriptRun run, String message) {
        assertThat(run.exitCode()).as(run.output()).isEqualTo(1);
        assertThat(run.output()).contains("benchmarks/http/run: " + message).doesNotContain("| median |");
    }
}

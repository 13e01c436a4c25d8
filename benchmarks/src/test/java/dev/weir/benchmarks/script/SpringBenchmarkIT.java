package dev.weir.benchmarks.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code benchmarks/spring/run} works, and stops at unexpected responses. */
final class SpringBenchmarkIT {
    @TempDir
    private Path copy;

    @Test
    void run_shortest_measuresEveryContestant() throws Exception {
        ScriptRun run = ScriptRun.shortest("spring");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains("| median |", "Of the plain application, by the medians: weir ");
    }

    @Test
    void run_limitThatRefuses_fails() throws Exception {
        ScriptRun run = ScriptRun.shortestWith(copy, "spring", "weir.yaml", "1_000_000_000/min", "1/day");
        assertThat(run.exitCode()).as(run.output()).isEqualTo(1);
        assertThat(run.output())
                .contains("benchmarks/spring/run: weir: expected 200, found another status in ")
                .doesNotContain("| median |");
    }
}

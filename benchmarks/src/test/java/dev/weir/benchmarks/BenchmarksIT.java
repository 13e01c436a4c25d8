package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The shortest form of every group of {@code ./weir bench}: every benchmark and peer runs, and returns the expected
 * results.
 */
final class BenchmarksIT {
    @ParameterizedTest
    @ValueSource(strings = {"hot", "keys", "four", "engine", "heap"})
    void library_everyContestant_getsItsAnswers(String group) throws Exception {
        CheckRun run = CheckRun.of(group + "/");
        assertThat(run.exitCode()).as(run.output()).isZero();
        for (Suite.Group each : Suite.GROUPS) {
            if (each.id().equals(group)) {
                each.contestants().forEach(one -> assertThat(run.output()).contains(one.label()));
            }
        }
    }

    @Test
    void redis_everyContestant_getsItsAnswers() throws Exception {
        assertChecked(
                "redis",
                "Weir, threads",
                "Weir, spin=true, callbacks",
                "Bucket4j on Lettuce, batching, callbacks",
                "Redisson",
                "Without a client");
    }

    @Test
    void sql_everyContestant_getsItsAnswers() throws Exception {
        assertChecked("sql", "pg/hot, 32/bucket4j advisory", "pg/ingest, 1/weir", "sqlite/full, 64/weir");
    }

    @Test
    void rls_everyContestant_getsItsAnswers() throws Exception {
        assertChecked(
                "rls",
                "bare gRPC hello on memory",
                "Weir, 4 descriptors on memory",
                "INCRBY and EXPIRE in a pipeline, 1 descriptor on redis",
                "Weir, 4 descriptors on redis",
                "p99 at 3000 requests a second");
    }

    @Test
    void cluster_everyContestant_getsItsAnswers() throws Exception {
        assertChecked("cluster", "Weir's cluster store", "Bucket4j on Infinispan");
    }

    private static void assertChecked(String only, String... rows) throws Exception {
        CheckRun run = CheckRun.of(only);
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains(rows);
    }
}

package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.benchmarks.measure.CpuProfiler;
import dev.weir.benchmarks.measure.Effort;
import dev.weir.benchmarks.measure.Figure;
import dev.weir.benchmarks.measure.Machine;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The measurement itself: plans, samples, reports and options. */
final class MeasuringTest {
    @Test
    void times_busyForAWhile_countsAboutThat() {
        long before = CpuProfiler.times().runNanos();
        long busy = threadCpuNanos();
        while (threadCpuNanos() - busy < TimeUnit.MILLISECONDS.toNanos(100)) {
            Thread.onSpinWait();
        }
        assertThat(CpuProfiler.times().runNanos() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(70));
    }

    @Test
    void zipf_nthKey_comesANthAsOften() {
        int[] counts = new int[1_000];
        for (int key : Keys.sequence(Distribution.ZIPF, counts.length, 1 << 20)) {
            counts[key]++;
        }
        double first = counts[0];
        assertThat(counts[1] / first).isCloseTo(1 / 2.0, within(0.02));
        assertThat(counts[9] / first).isCloseTo(1 / 10.0, within(0.01));
        assertThat(counts[99] / first).isCloseTo(1 / 100.0, within(0.003));
        assertThat(first / (1 << 20)).isCloseTo(1 / 7.4855, within(0.01));
    }

    @Test
    void keys_areAllDifferentAndAlwaysTheSame() {
        assertThat(new HashSet<>(List.of(Keys.make(10_000)))).hasSize(10_000);
        assertThat(Keys.make(100)).isEqualTo(Keys.make(100));
    }

    @Test
    void sample_ofOddAndEvenCounts_isTheMedian() {
        assertThat(Figure.Sample.of(List.of(sample(9, 0), sample(1, 0), sample(2, 0))))
                .isEqualTo(sample(2, 0));
        assertThat(Figure.Sample.of(List.of(sample(9, 0), sample(1, 0), sample(2, 0), sample(4, 0))))
                .isEqualTo(sample(3, 0));
        assertThat(Figure.NONE.cpuNanos()).isNaN();
    }

    @Test
    void sample_ofCalmAndDisturbed_countsTheCalm() {
        assertThat(Figure.Sample.of(List.of(sample(1, 0.5), sample(2, 0.4), sample(9, 0.01))))
                .isEqualTo(sample(9, 0.01));
        assertThat(Figure.Sample.of(List.of(sample(1, 0.5), sample(2, 0.5), sample(3, 0.5))))
                .isEqualTo(sample(2, 0.5));
    }

    private static Figure.Sample sample(double value, double waited) {
        return new Figure.Sample(value, value, value, waited);
    }

    @Test
    void plan_rounds_giveEveryContestantOfABarItsTurn() {
        MeasurementPlan plan = MeasurementPlan.of(Effort.FULL, 3, "");
        Set<Suite.Case> first = Set.copyOf(plan.casesOf(0));
        Set<Suite.Case> second = Set.copyOf(plan.casesOf(1));
        assertThat(first).containsAll(second);
        assertThat(first.stream().filter(one -> !second.contains(one)))
                .allMatch(one -> one.contestant().role() == Suite.Role.CONTEXT);
        // Alternately from the front and from the back.
        assertThat(plan.casesOf(1).get(0).group()).isEqualTo(Suite.GROUPS.get(Suite.GROUPS.size() - 1));
    }

    @Test
    void plan_only_choosesByPartOfTheId() {
        assertThat(MeasurementPlan.of(Effort.FULL, 1, "zipf/2/weir").casesOf(0))
                .extracting(Suite.Case::id)
                .containsExactly("keys/zipf/2/weir");
        assertThat(MeasurementPlan.of(Effort.FULL, 1, "heap/10m").steps()).isEqualTo(1);
    }

    @Test
    void main_wrongArguments_saysWhatIsWrong() throws Exception {
        assertThat(said("--fast")).contains("2", "'--fast' is not known");
        assertThat(said("--rounds", "0")).contains("2", "--rounds is '0'; it must be 1 to 9999");
        assertThat(said("--only")).contains("2", "--only has no value");
        assertThat(said("--only", "nobody")).contains("2", "nothing has 'nobody' in its id");
        assertThat(said("--help")).contains("0", "--markdown FILE");
    }

    @Test
    void report_singleQuotesAndUnmeasuredCases_areWellFormed() {
        Results results = new Results();
        results.add(Suite.HOT.of("allowed/1", "bare"), new Figure.Sample(30, 0, 3e7, 0));
        results.add(Suite.HEAP.get(0), 33.5);
        Report report = new Report(new Machine(2, "CPU \"X\"", "Linux", "JDK"), "2026-01-01", "./weir bench", results);
        assertThat(report.text()).contains("bare GCRA, precise clock (the limit)", "30.0", "33.5");
        assertThat(report.markdown()).contains("| bare GCRA, precise clock (the limit) | 30.0 | 1.00 | 0 |");
        assertThat(report.json())
                .contains("CPU \\\"X\\\"", "\"id\": \"hot/allowed/1/bare\", \"cpuNanosPerOp\": 30.000");
    }

    /** The exit code, then both streams. */
    private static String said(String... args) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(said, true, StandardCharsets.UTF_8);
        int code = new Main(stream, stream).run(List.of(args));
        return code + " " + said.toString(StandardCharsets.UTF_8);
    }

    private static long threadCpuNanos() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}

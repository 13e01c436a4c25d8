package dev.weir.benchmarks;

import dev.weir.benchmarks.measure.CpuProfiler;
import dev.weir.benchmarks.measure.Effort;
import dev.weir.benchmarks.measure.Figure;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import dev.weir.benchmarks.measure.Progress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures a plan's cases in rounds: A B C, A B C. A minute in which the machine is busy then affects all cases, not
 * one.
 */
final class Measurement {
    private final MeasurementPlan plan;
    private final Progress progress;
    private final Results results = new Results();

    Measurement(MeasurementPlan plan, Progress progress) {
        this.plan = plan;
        this.progress = progress;
    }

    Results run() throws InterruptedException {
        for (int round = 0; round < plan.rounds(); round++) {
            for (Suite.Case next : plan.casesOf(round)) {
                progress.begin("round " + (round + 1) + " of " + plan.rounds() + ", " + next.label());
                results.add(next, measure(next));
            }
        }
        for (Suite.HeapCase next : plan.heapCases()) {
            progress.begin(String.format(Locale.ROOT, "heap at %,d keys: %s", plan.heapKeys(next), next.label()));
            results.add(next, bytesPerKey(next, plan.heapKeys(next)));
        }
        return results;
    }

    Figure.Sample measure(Suite.Case one) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
        try {
            // A check run has no figures, so another process may run benchmarks at the same time.
            System.setProperty("jmh.ignoreLock", Boolean.toString(plan.effort() == Effort.CHECK));
            RunResult result = new Runner(
                            options(one).build(), OutputFormatFactory.createFormatInstance(out, VerboseMode.NORMAL))
                    .runSingle();
            return roundOf(result);
        } catch (RunnerException e) {
            throw new MeasurementFailedException(
                    one.id() + ": " + e.getMessage() + "\n" + said.toString(StandardCharsets.UTF_8), e);
        }
    }

    private ChainedOptionsBuilder options(Suite.Case one) {
        String heap = one.group().heap();
        TimeValue time = TimeValue.milliseconds(plan.iterationMillis(one.group()));
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(one.method()) + "$")
                .forks(plan.forks())
                .warmupIterations(plan.warmups())
                .warmupTime(time)
                .measurementIterations(plan.iterations())
                .measurementTime(time)
                .threads(one.variant().threads())
                .shouldFailOnError(true)
                .jvmArgs("-Xms" + heap, "-Xmx" + heap)
                // In this order, so that the second profiler does not see the allocations of the first.
                .addProfiler(CpuProfiler.class)
                .addProfiler(GCProfiler.class);
        if (one.group().equals(Suite.KEYS)) {
            options.param("keyCount", Integer.toString(plan.keys()));
            options.param("limiter", one.contestant().benchmark());
        }
        one.variant().parameters().forEach((key, value) -> options.param(key, value));
        return options;
    }

    private static Figure.Sample roundOf(RunResult result) {
        List<Figure.Sample> iterations = new ArrayList<>();
        for (IterationResult iteration :
                result.getBenchmarkResults().iterator().next().getIterationResults()) {
            iterations.add(new Figure.Sample(
                    secondary(iteration, CpuProfiler.CPU),
                    secondary(iteration, "gc.alloc.rate.norm"),
                    iteration.getPrimaryResult().getScore(),
                    secondary(iteration, CpuProfiler.WAITED)));
        }
        return Figure.Sample.of(iterations);
    }

    private static double secondary(IterationResult iteration, String name) {
        return Objects.requireNonNull(iteration.getSecondaryResults().get(name), name)
                .getScore();
    }

    private static double bytesPerKey(Suite.HeapCase one, int keys) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx4g",
                            "-cp",
                            System.getProperty("java.class.path"),
                            HeapPerKey.class.getName(),
                            one.limiter(),
                            Integer.toString(keys))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new MeasurementFailedException(one.id() + ":\n" + said);
            }
            return Double.parseDouble(said);
        } catch (IOException | NumberFormatException e) {
            throw new MeasurementFailedException(one.id() + ": " + e.getMessage(), e);
        }
    }
}

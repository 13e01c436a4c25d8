package dev.weir.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Measures the CPU time of the process per operation. It includes all threads, so garbage collection and a ticking
 * clock count. The JIT compiler's threads are excluded, because their work ends. Unlike wall time, CPU time does not
 * grow while other processes use the CPU.
 */
public final class CpuProfiler implements InternalProfiler {
    /** The name of the result: nanoseconds per operation. */
    public static final String CPU = "cpu";

    /** The name of another result: the share of the threads' runnable time in which no CPU was free. */
    public static final String WAITED = "waited";

    private static final Path TASKS = Path.of("/proc/self/task");

    private Times before = Times.NONE;

    /** CPU and wait time since the start of the process. */
    public record Times(long runNanos, long waitNanos) {
        static final Times NONE = new Times(0, 0);

        Times plus(Times other) {
            return new Times(runNanos + other.runNanos, waitNanos + other.waitNanos);
        }
    }

    @Override
    public String getDescription() {
        return "CPU time of the process per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = times();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        Times after = times();
        double ran = after.runNanos - before.runNanos;
        double waited = after.waitNanos - before.waitNanos;
        return List.of(
                new ScalarResult(CPU, ran / result.getMetadata().getAllOps(), "ns/op", AggregationPolicy.AVG),
                new ScalarResult(WAITED, waited / (ran + waited), "", AggregationPolicy.AVG));
    }

    /**
     * Reads the times from the scheduler, in nanoseconds. Other systems than Linux use the JVM's times, which may have
     * steps of 10 ms.
     */
    public static Times times() {
        if (!Files.isReadable(TASKS.resolve("../schedstat"))) {
            var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            return new Times(system.getProcessCpuTime(), 0);
        }
        Times sum = Times.NONE;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                sum = sum.plus(timesOf(task));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sum;
    }

    private static Times timesOf(Path task) {
        try {
            String name = Files.readString(task.resolve("comm"));
            if (name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler")) {
                return Times.NONE;
            }
            String[] fields = Files.readString(task.resolve("schedstat")).split(" ", 3);
            return new Times(Long.parseLong(fields[0]), Long.parseLong(fields[1]));
        } catch (IOException e) {
            return Times.NONE; // the thread has just ended: the file is gone (ENOENT), or the thread behind it (ESRCH)
        }
    }
}

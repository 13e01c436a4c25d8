package dev.weir.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
 * The CPU time that the process took for an operation: of all its threads, so that collecting garbage and a clock's
 * ticking count, but for the compiler's, whose work comes to an end. Unlike wall time it does not grow while other
 * processes have the CPU.
 */
public final class CpuProfiler implements InternalProfiler {
    /** The name of the result. */
    static final String CPU = "cpu";

    private static final Path TASKS = Path.of("/proc/self/task");

    private long before;

    @Override
    public String getDescription() {
        return "CPU time of the process per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = cpuNanos();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double spent = cpuNanos() - before;
        long operations = result.getMetadata().getAllOps();
        return List.of(new ScalarResult(CPU, spent / operations, "ns/op", AggregationPolicy.AVG));
    }

    /** From the scheduler, in nanoseconds; elsewhere than on Linux from the JVM, which may count in steps of 10 ms. */
    static long cpuNanos() {
        if (!Files.isReadable(TASKS.resolve("../schedstat"))) {
            return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
        }
        long sum = 0;
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                sum += runNanos(task);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sum;
    }

    private static long runNanos(Path task) throws IOException {
        try {
            String name = Files.readString(task.resolve("comm"));
            if (name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler")) {
                return 0;
            }
            String fields = Files.readString(task.resolve("schedstat"));
            return Long.parseLong(fields.substring(0, fields.indexOf(' ')));
        } catch (NoSuchFileException e) {
            return 0; // the thread has just ended
        }
    }
}

package dev.weir.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;

/** A benchmark of admissions whose limiter refuses all but the first request. */
@BenchmarkMode(Mode.Throughput)
public class ExhaustedBenchmark {
    @Benchmark
    public boolean handle(Exhausted contestant) {
        return contestant.check();
    }

    public static class Exhausted extends HotKeyBenchmark.WeirHandle {
        @Override
        void prepare(BudgetSize budget) {
            super.prepare(BudgetSize.ONE_A_DAY);
        }
    }
}

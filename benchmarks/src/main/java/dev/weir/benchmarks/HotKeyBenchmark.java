package dev.weir.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import dev.weir.KeyLimiter;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import io.github.bucket4j.Bucket;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** All threads call a limiter with one key. The result is always the same, and every result is checked. */
@BenchmarkMode(Mode.Throughput)
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH sets the parameter and then calls the set-up
public abstract class HotKeyBenchmark {
    @Param
    public ExpectedOutcome outcome;

    private boolean isAllowed;

    abstract void prepare(BudgetSize budget);

    abstract boolean ask();

    @Setup
    public void setUp() {
        prepare(outcome.budget());
        isAllowed = outcome == ExpectedOutcome.ALLOWED;
        if (!isAllowed && !ask()) {
            throw MeasurementFailedException.wrongAnswer(
                    "the first request", ExpectedOutcome.ALLOWED, ExpectedOutcome.DENIED);
        }
    }

    @Benchmark
    public boolean check() {
        boolean answer = ask();
        if (answer != isAllowed) {
            throw MeasurementFailedException.wrongAnswer(
                    getClass().getSimpleName(), outcome, answer ? ExpectedOutcome.ALLOWED : ExpectedOutcome.DENIED);
        }
        return answer;
    }

    @TearDown
    public void close() {}

    /** The clock alone. */
    @BenchmarkMode(Mode.Throughput)
    public static class NanoTime {
        @Benchmark
        public long check() {
            return System.nanoTime();
        }
    }

    public static class Bare extends HotKeyBenchmark {
        private BareLimiter limiter;

        @Override
        void prepare(BudgetSize budget) {
            limiter = new BareLimiter(budget);
        }

        @Override
        boolean ask() {
            return limiter.tryConsume();
        }
    }

    public static class BareTicking extends HotKeyBenchmark {
        private BareTickingLimiter limiter;

        @Override
        void prepare(BudgetSize budget) {
            limiter = new BareTickingLimiter(budget);
        }

        @Override
        boolean ask() {
            return limiter.tryConsume();
        }

        @Override
        public void close() {
            limiter.close();
        }
    }

    public static class WeirHandle extends HotKeyBenchmark {
        private MemoryStore store;
        private KeyLimiter limiter;

        MemoryStoreOptions options() {
            return MemoryStoreOptions.defaults();
        }

        @Override
        void prepare(BudgetSize budget) {
            store = MemoryStore.create(options());
            limiter = dev.weir.RateLimiter.on(store, "hot", budget.forWeir()).forKey("user-123456");
        }

        @Override
        boolean ask() {
            return limiter.tryConsume();
        }

        @Override
        public void close() {
            store.close();
        }
    }

    public static class WeirTicking extends WeirHandle {
        @Override
        MemoryStoreOptions options() {
            return super.options().tickingClock();
        }
    }

    public static class WeirString extends HotKeyBenchmark {
        private dev.weir.RateLimiter limiter;

        @Override
        void prepare(BudgetSize budget) {
            limiter = dev.weir.RateLimiter.of(budget.forWeir());
        }

        @Override
        boolean ask() {
            return limiter.tryConsume("user-123456");
        }

        @Override
        public void close() {
            limiter.close();
        }
    }

    public static class Bucket4j extends HotKeyBenchmark {
        Bucket limiter;

        @Override
        void prepare(BudgetSize budget) {
            limiter = Peers.bucket4j(budget);
        }

        @Override
        boolean ask() {
            return limiter.tryConsume(1);
        }
    }

    public static class Bucket4jSynchronized extends Bucket4j {
        @Override
        void prepare(BudgetSize budget) {
            limiter = Peers.bucket4jSynchronized(budget);
        }
    }

    public static class Bucket4jProbe extends Bucket4j {
        @Override
        boolean ask() {
            return limiter.tryConsumeAndReturnRemaining(1).isConsumed();
        }
    }

    public static class Resilience4j extends HotKeyBenchmark {
        private io.github.resilience4j.ratelimiter.RateLimiter limiter;

        @Override
        void prepare(BudgetSize budget) {
            limiter = Peers.resilience4j(budget);
        }

        @Override
        boolean ask() {
            return limiter.acquirePermission();
        }
    }

    public static class Guava extends HotKeyBenchmark {
        private RateLimiter limiter;

        @Override
        void prepare(BudgetSize budget) {
            limiter = Peers.guava(budget);
        }

        @Override
        boolean ask() {
            return limiter.tryAcquire();
        }
    }

    public static class Failsafe extends HotKeyBenchmark {
        private dev.failsafe.RateLimiter<Object> limiter;

        @Override
        void prepare(BudgetSize budget) {
            limiter = Peers.failsafe(budget);
        }

        @Override
        boolean ask() {
            return limiter.tryAcquirePermit();
        }
    }
}

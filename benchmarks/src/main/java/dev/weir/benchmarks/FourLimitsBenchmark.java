package dev.weir.benchmarks;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Store;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import dev.weir.memory.MemoryStore;
import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * One decision over four limits with a key each, compared with a decision over one limit through the same call.
 *
 * <p>Bucket4j has no such decision. Its buckets are called one after another, and tokens of the first ones are lost
 * when a later one refuses.
 */
@BenchmarkMode(Mode.Throughput)
public class FourLimitsBenchmark {
    /** Four different budgets, none of which is ever used up. */
    static final List<BudgetSize> BUDGETS = List.of(
            BudgetSize.PLENTY,
            new BudgetSize(900_000_000, 1_000_000_000, Duration.ofSeconds(1)),
            new BudgetSize(800_000_000, 500_000_000, Duration.ofMillis(500)),
            new BudgetSize(700_000_000, 1_000_000, Duration.ofMillis(1)));

    @Benchmark
    public boolean weirOne(Weir contestant) {
        return allowed(contestant.ask(contestant.one));
    }

    @Benchmark
    public boolean weirFour(Weir contestant) {
        return allowed(contestant.ask(contestant.four));
    }

    @Benchmark
    public boolean bucket4jOne(Bucket4j contestant) {
        return allowed(contestant.first.tryConsume(1));
    }

    @Benchmark
    public boolean bucket4jFour(Bucket4j contestant) {
        return allowed(contestant.ask());
    }

    private static boolean allowed(boolean answer) {
        if (!answer) {
            throw MeasurementFailedException.wrongAnswer("a request", ExpectedOutcome.ALLOWED, ExpectedOutcome.DENIED);
        }
        return true;
    }

    @State(Scope.Benchmark)
    public static class Weir {
        final List<Charge> one = List.of(charge(0));
        final List<Charge> four = List.of(charge(0), charge(1), charge(2), charge(3));
        private final Store store = MemoryStore.create();

        private static Charge charge(int index) {
            return Charge.of(
                    Key.of("limit-" + index, "user-12345" + index),
                    BUDGETS.get(index).forWeir());
        }

        boolean ask(List<Charge> charges) {
            return store.consume(charges).now().admitted();
        }
    }

    @State(Scope.Benchmark)
    public static class Bucket4j {
        private final Bucket first = Peers.bucket4j(BUDGETS.get(0));
        private final Bucket second = Peers.bucket4j(BUDGETS.get(1));
        private final Bucket third = Peers.bucket4j(BUDGETS.get(2));
        private final Bucket fourth = Peers.bucket4j(BUDGETS.get(3));

        boolean ask() {
            return first.tryConsume(1) && second.tryConsume(1) && third.tryConsume(1) && fourth.tryConsume(1);
        }
    }
}

package dev.weir.benchmarks;

import dev.weir.benchmarks.measure.MeasurementFailedException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * A million keys.
 *
 * <p>Callers pass the same string objects that the maps hold. The maps need not compare characters, and the hash codes
 * are cached. A server, which creates a new string for each request, is slower with these maps.
 */
@BenchmarkMode(Mode.Throughput)
public class ManyKeysBenchmark {
    static final int KEYS = 1_000_000;

    private static final int SEQUENCE = 1 << 22;

    @Benchmark
    public boolean check(Contestant contestant, Caller caller) {
        if (!contestant.keyed.tryConsume(caller.next(contestant))) {
            throw MeasurementFailedException.wrongAnswer("a key", ExpectedOutcome.ALLOWED, ExpectedOutcome.DENIED);
        }
        return true;
    }

    /** A thread's position in the sequence. */
    @State(Scope.Thread)
    public static class Caller {
        private int at;

        @Setup
        public void setUp(ThreadParams threads) {
            at = (int) ((long) SEQUENCE * threads.getThreadIndex() / threads.getThreadCount());
        }

        String next(Contestant contestant) {
            int[] sequence = contestant.sequence;
            at = (at + 1) & (sequence.length - 1);
            return contestant.keys[sequence[at]];
        }
    }

    /** A limiter that allows every request. */
    @SuppressWarnings("NullAway.Init") // JMH sets the parameter and then calls the set-up
    @State(Scope.Benchmark)
    public static class Contestant {
        /** The name of a {@link KeyedLimiter}. */
        @Param("weir")
        public String limiter;

        @Param
        public Distribution distribution;

        @Param("" + KEYS)
        public int keyCount;

        private KeyedLimiter keyed;
        private String[] keys;
        private int[] sequence;

        @Setup
        public void setUp() {
            prepare(keyCount, keyCount == KEYS ? SEQUENCE : Integer.highestOneBit(keyCount));
        }

        /** The length is a power of two. */
        void prepare(int count, int length) {
            keys = Keys.make(count);
            sequence = Keys.sequence(distribution, count, length);
            keyed = KeyedLimiter.of(limiter, count);
            keyed.fill(keys);
            System.gc(); // long-lived objects are promoted first, so that collections cost what they do in the long run
        }
    }
}

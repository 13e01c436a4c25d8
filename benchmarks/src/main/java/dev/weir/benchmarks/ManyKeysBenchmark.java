package dev.weir.benchmarks;

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
 * <p>Callers bring the very strings under which the maps know the keys, so that these need not compare characters and
 * find the hash code computed: kinder to them than a server would be, which makes a new string for each request.
 */
@BenchmarkMode(Mode.Throughput)
public class ManyKeysBenchmark {
    static final int KEYS = 1_000_000;

    private static final int SEQUENCE = 1 << 22;

    @Benchmark
    public boolean openTable(Open contestant, Caller caller) {
        return allowed(contestant.limiter.tryConsume(caller.next(contestant)));
    }

    @Benchmark
    public boolean weir(Weir contestant, Caller caller) {
        return allowed(contestant.limiter.tryConsume(caller.next(contestant)));
    }

    @Benchmark
    public boolean mapOfLongs(MapOfLongs contestant, Caller caller) {
        return allowed(contestant.limiter.tryConsume(caller.next(contestant)));
    }

    @Benchmark
    public boolean mapOfBuckets(MapOfBuckets contestant, Caller caller) {
        return allowed(contestant.limiter.tryConsume(caller.next(contestant)));
    }

    @Benchmark
    public boolean registry(Registry contestant, Caller caller) {
        return allowed(contestant.limiter.tryConsume(caller.next(contestant)));
    }

    private static boolean allowed(boolean answer) {
        if (!answer) {
            throw MeasurementFailedException.wrongAnswer("a key", Outcome.ALLOWED, Outcome.DENIED);
        }
        return true;
    }

    /** A thread's place in the sequence. */
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
    public abstract static class Contestant {
        @Param
        public Distribution distribution;

        @Param("" + KEYS)
        public int keyCount;

        private String[] keys;
        private int[] sequence;

        abstract KeyedLimiter limiter();

        @Setup
        public void setUp() {
            prepare(keyCount, keyCount == KEYS ? SEQUENCE : Integer.highestOneBit(keyCount));
        }

        /** The length is a power of two. */
        void prepare(int count, int length) {
            keys = Keys.make(count);
            sequence = Keys.sequence(distribution, count, length);
            limiter().fill(keys);
            System.gc(); // what lives long has its place, so that collecting costs what it does in the long run
        }
    }

    public static class Open extends Contestant {
        private final KeyedLimiter.Open limiter = new KeyedLimiter.Open(KEYS);

        @Override
        KeyedLimiter limiter() {
            return limiter;
        }
    }

    public static class Weir extends Contestant {
        private final KeyedLimiter.Weir limiter = new KeyedLimiter.Weir();

        @Override
        KeyedLimiter limiter() {
            return limiter;
        }
    }

    public static class MapOfLongs extends Contestant {
        private final KeyedLimiter.MapOfLongs limiter = new KeyedLimiter.MapOfLongs();

        @Override
        KeyedLimiter limiter() {
            return limiter;
        }
    }

    public static class MapOfBuckets extends Contestant {
        private final KeyedLimiter.MapOfBuckets limiter = new KeyedLimiter.MapOfBuckets();

        @Override
        KeyedLimiter limiter() {
            return limiter;
        }
    }

    public static class Registry extends Contestant {
        private final KeyedLimiter.Registry limiter = new KeyedLimiter.Registry();

        @Override
        KeyedLimiter limiter() {
            return limiter;
        }
    }
}

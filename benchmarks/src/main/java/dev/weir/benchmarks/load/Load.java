package dev.weir.benchmarks.load;

import dev.weir.benchmarks.AnswerCheck;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A load of several callers, each of which repeats its check as soon as it has the result: in threads that wait, or by
 * callbacks. Throws if a result is not an admission.
 */
public final class Load {
    /** The number of latencies kept, of all callers together: the last ones. */
    private static final int MOST_LATENCIES = 1 << 20;

    private final String name;
    private final Contestant contestant;
    private final String[] keys;
    private final List<Caller> callers;
    private final boolean callbacks;
    private final AnswerCheck answers;
    private final CountDownLatch ended;
    private volatile boolean measuring;
    private volatile boolean over;

    /**
     * Creates a load that has not begun.
     *
     * @param name of the benchmark, for its failures
     * @param timed whether latencies are measured, too; two clock readings cost the fastest contestants a twelfth
     */
    public Load(String name, Contestant contestant, String[] keys, int callers, boolean callbacks, boolean timed) {
        this.name = name;
        this.contestant = contestant;
        this.keys = keys;
        this.callers = IntStream.range(0, callers)
                .mapToObj(i -> new Caller(i, timed ? MOST_LATENCIES / callers : 0))
                .toList();
        this.callbacks = callbacks;
        this.answers = new AnswerCheck(name);
        this.ended = new CountDownLatch(callers);
    }

    /** Returns so many keys with this prefix. */
    public static String[] keys(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toArray(String[]::new);
    }

    /** The result of a load: latencies in microseconds, and the backend's work per check. */
    public record Result(
            double perSecond,
            double mean,
            double p50,
            double p95,
            double p99,
            double p999,
            double cpuMicros,
            double commands) {

        /** All figures in one line, which {@link #parse} reads. */
        public String line() {
            return Stream.of(perSecond, mean, p50, p95, p99, p999, cpuMicros, commands)
                    .map(String::valueOf)
                    .collect(Collectors.joining(" "));
        }

        public static Result parse(String line) {
            double[] all = Arrays.stream(line.split(" ", -1))
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            return new Result(all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]);
        }
    }

    public Result run(long warmMillis, long measureMillis) throws InterruptedException {
        Usage atFirst = contestant.usage().get();
        callers.forEach(caller -> new Thread(() -> begin(caller)).start());
        TimeUnit.MILLISECONDS.sleep(warmMillis);
        Usage before = contestant.usage().get();
        long begun = System.nanoTime();
        measuring = true;
        do {
            TimeUnit.MILLISECONDS.sleep(measureMillis);
        } while (!over && callers.stream().allMatch(caller -> caller.measured == 0));
        measuring = false;
        double seconds = (System.nanoTime() - begun) / 1e9;
        Usage used = contestant.usage().get().minus(before);
        over = true;
        if (!ended.await(30, TimeUnit.SECONDS)) {
            throw MeasurementFailedException.wrongAnswer(name, "an answer", "none within 30 s");
        }
        answers.throwIfFailed();
        verify(contestant.usage().get().minus(atFirst).decisions());
        return result(seconds, used);
    }

    /** One caller and its measurements. It has one check in flight, so it has one writer at a time. */
    private static final class Caller {
        private final SplittableRandom random;
        private final int[] nanos;
        private final AtomicInteger toAsk = new AtomicInteger();
        private volatile long checks;
        private volatile long measured;

        private Caller(long seed, int latencies) {
            this.random = new SplittableRandom(seed);
            this.nanos = new int[latencies];
        }

        private IntStream latencies() {
            return Arrays.stream(nanos, 0, (int) Math.min(measured, nanos.length));
        }
    }

    private void begin(Caller caller) {
        if (callbacks) {
            next(caller);
            return;
        }
        try {
            while (!over) {
                String key = key(caller);
                long begun = now(caller);
                arrived(caller, begun, contestant.check().test(key), null);
            }
        } catch (RuntimeException e) {
            arrived(caller, 0, null, e);
        } finally {
            ended.countDown();
        }
    }

    /** Repeats the check after every result. A result that is complete at once continues the loop without recursion. */
    private void next(Caller caller) {
        if (caller.toAsk.getAndIncrement() > 0) {
            return;
        }
        do {
            if (over) {
                ended.countDown();
            } else {
                long begun = now(caller);
                contestant.checkLater().accept(key(caller), (admitted, failure) -> {
                    arrived(caller, begun, admitted, failure);
                    next(caller);
                });
            }
        } while (caller.toAsk.decrementAndGet() > 0);
    }

    private String key(Caller caller) {
        return keys.length == 1 ? keys[0] : keys[caller.random.nextInt(keys.length)];
    }

    private static long now(Caller caller) {
        return caller.nanos.length == 0 ? 0 : System.nanoTime();
    }

    private void arrived(Caller caller, long begun, @Nullable Boolean admitted, @Nullable Throwable failure) {
        if (!answers.accept(admitted, failure)) {
            over = true;
            return;
        }
        long checks = caller.checks + 1;
        caller.checks = checks;
        if (measuring) {
            long measured = caller.measured;
            if (caller.nanos.length > 0) {
                long elapsed = System.nanoTime() - begun;
                caller.nanos[(int) (measured % caller.nanos.length)] = (int) Math.min(Integer.MAX_VALUE, elapsed);
            }
            caller.measured = measured + 1;
        }
    }

    /**
     * Verifies that the backend decided every check: by its own call, or by a batch of at most as many checks as
     * callers.
     */
    private void verify(double decisions) {
        long checks = callers.stream().mapToLong(caller -> caller.checks).sum();
        double least = contestant.isBatching() ? (double) checks / callers.size() : checks;
        if (decisions < least) {
            throw MeasurementFailedException.wrongAnswer(
                    name, "at least " + least + " decisions for " + checks + " checks", decisions);
        }
    }

    private Result result(double seconds, Usage used) {
        long count = callers.stream().mapToLong(caller -> caller.measured).sum();
        double[] micros = callers.stream()
                .flatMapToInt(Caller::latencies)
                .sorted()
                .mapToDouble(nanos -> nanos / 1e3)
                .toArray();
        return new Result(
                count / seconds,
                Arrays.stream(micros).average().orElse(Double.NaN),
                quantile(micros, 0.5),
                quantile(micros, 0.95),
                quantile(micros, 0.99),
                quantile(micros, 0.999),
                used.cpuMicros() / count,
                used.commands() / count);
    }

    private static double quantile(double[] sorted, double part) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) (sorted.length * part)];
    }
}

package dev.weir.benchmarks.sql;

import dev.weir.benchmarks.AnswerCheck;
import dev.weir.benchmarks.MeasurementFailedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Callers that ask as fast as they get answers, for a while. Throws at an answer that is not an admission. */
final class Load {
    private static final int MOST_LATENCIES = 1 << 22;

    private final String name;
    private final Contestant contestant;
    private final int callers;
    private final int keys;
    private final AnswerCheck answers;
    private final LongAdder count = new LongAdder();
    private final LongAdder allChecks = new LongAdder();
    private final long[] latencies;
    private volatile boolean measures;
    private volatile boolean ends;

    /** @param name of the benchmark, for its failures */
    Load(String name, Contestant contestant, int callers, int keys) {
        this.name = name;
        this.contestant = contestant;
        this.callers = callers;
        this.keys = keys;
        this.answers = new AnswerCheck(name);
        this.latencies = new long[callers == 1 ? MOST_LATENCIES : 0];
    }

    /** What was measured: how many decisions a second, and for a single caller how long each took, in nanoseconds. */
    record Result(double perSecond, double mean, double p50, double p95, double p99, double p999) {}

    /** So many threads, each of which waits for its answer. */
    Result blocking(double seconds) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(callers);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            threads.add(new Thread(() -> {
                try (Contestant.Caller caller = contestant.newCaller()) {
                    ready.countDown();
                    ask(caller);
                } catch (RuntimeException e) {
                    arrived(null, e);
                    ready.countDown();
                }
            }));
        }
        threads.forEach(Thread::start);
        ready.await();
        Result result = measure(threads, seconds);
        verify();
        return result;
    }

    private void ask(Contestant.Caller caller) {
        int asked = 0;
        while (!ends) {
            long begun = latencies.length == 0 ? 0 : System.nanoTime();
            boolean isCounted = arrived(caller.check(key()), null);
            if (isCounted && asked < latencies.length) {
                latencies[asked++] = System.nanoTime() - begun;
            }
        }
    }

    /** So many callers who are called back, from a few threads. */
    Result async(double seconds) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        CountDownLatch over = new CountDownLatch(callers);
        for (int i = 0; i < callers; i++) {
            Contestant.Caller caller = contestant.newCaller();
            threads.add(new Thread(() -> chain(caller, over)));
        }
        threads.forEach(Thread::start);
        Result result = measure(threads, seconds);
        over.await();
        verify();
        return result;
    }

    /** Asks again as soon as there is an answer, in the thread that brings it. */
    private void chain(Contestant.Caller caller, CountDownLatch over) {
        while (!ends) {
            AtomicBoolean passed = new AtomicBoolean();
            caller.checkLater(key(), (admitted, failure) -> {
                arrived(admitted, failure);
                if (!passed.compareAndSet(false, true)) {
                    chain(caller, over);
                }
            });
            if (passed.compareAndSet(false, true)) {
                return;
            }
        }
        over.countDown();
    }

    private int key() {
        return keys == 1 ? 0 : ThreadLocalRandom.current().nextInt(keys);
    }

    /** Returns whether the answer is one of those that are measured. */
    private boolean arrived(@Nullable Boolean admitted, @Nullable Throwable failure) {
        if (!answers.accept(admitted, failure)) {
            ends = true;
            return false;
        }
        allChecks.increment();
        if (measures) {
            count.increment();
        }
        return measures;
    }

    private void verify() {
        answers.throwIfFailed();
        long decisions = contestant.decisions(allChecks.sum());
        if (decisions < allChecks.sum()) {
            throw MeasurementFailedException.wrongAnswer(name, allChecks.sum() + " decisions", decisions);
        }
    }

    private Result measure(List<Thread> threads, double seconds) throws InterruptedException {
        Thread.sleep((long) (seconds * 400));
        long begun = System.nanoTime();
        measures = true;
        do {
            Thread.sleep((long) (seconds * 1_000));
        } while (!ends && count.sum() == 0);
        measures = false;
        double took = (System.nanoTime() - begun) / 1e9;
        long sum = count.sum();
        ends = true;
        for (Thread thread : threads) {
            thread.join();
        }
        return result(sum / took);
    }

    private Result result(double perSecond) {
        long[] sorted =
                Arrays.stream(latencies).filter(nanos -> nanos > 0).sorted().toArray();
        return sorted.length == 0
                ? new Result(perSecond, 0, 0, 0, 0, 0)
                : new Result(
                        perSecond,
                        Arrays.stream(sorted).average().orElse(0),
                        sorted[sorted.length / 2],
                        sorted[(int) (sorted.length * 0.95)],
                        sorted[(int) (sorted.length * 0.99)],
                        sorted[(int) (sorted.length * 0.999)]);
    }
}

package dev.weir.benchmarks.sql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/** Callers that ask as fast as they get answers, for a while. */
final class Load {
    private Load() {}

    /** What was measured: how many decisions a second, and for a single caller how long each took, in nanoseconds. */
    record Result(double perSecond, double mean, double p50, double p95, double p99, double p999) {}

    /** So many threads, each of which waits for its answer. */
    static Result blocking(Contestant contestant, int callers, int keys, double seconds) throws InterruptedException {
        AtomicBoolean measures = new AtomicBoolean();
        AtomicBoolean ends = new AtomicBoolean();
        LongAdder count = new LongAdder();
        List<long[]> latencies = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        CountDownLatch ready = new CountDownLatch(callers);
        for (int i = 0; i < callers; i++) {
            long[] own = new long[callers == 1 ? 1 << 22 : 0];
            latencies.add(own);
            threads.add(new Thread(() -> {
                try (Contestant.Caller caller = contestant.newCaller()) {
                    ready.countDown();
                    ask(caller, keys, measures, ends, count, own);
                }
            }));
        }
        threads.forEach(Thread::start);
        ready.await();
        return measure(measures, ends, count, threads, latencies.get(0), seconds);
    }

    private static void ask(
            Contestant.Caller caller,
            int keys,
            AtomicBoolean measures,
            AtomicBoolean ends,
            LongAdder count,
            long[] own) {
        int asked = 0;
        while (!ends.get()) {
            int key = keys == 1 ? 0 : ThreadLocalRandom.current().nextInt(keys);
            long begun = own.length == 0 ? 0 : System.nanoTime();
            boolean unused = caller.check(key);
            if (measures.get()) {
                count.increment();
                if (asked < own.length) {
                    own[asked++] = System.nanoTime() - begun;
                }
            }
        }
    }

    /** So many callers who are called back, from a few threads. */
    static Result async(Contestant contestant, int callers, int keys, double seconds) throws InterruptedException {
        AtomicBoolean measures = new AtomicBoolean();
        AtomicBoolean ends = new AtomicBoolean();
        LongAdder count = new LongAdder();
        List<Thread> threads = new ArrayList<>();
        CountDownLatch over = new CountDownLatch(callers);
        for (int i = 0; i < callers; i++) {
            Contestant.Caller caller = contestant.newCaller();
            Chain chain = new Chain(caller, keys, measures, ends, count, over);
            threads.add(new Thread(chain::go));
        }
        threads.forEach(Thread::start);
        Result result = measure(measures, ends, count, threads, new long[0], seconds);
        over.await();
        return result;
    }

    /** A caller who asks again as soon as there is an answer, in whatever thread brings it. */
    private record Chain(
            Contestant.Caller caller,
            int keys,
            AtomicBoolean measures,
            AtomicBoolean ends,
            LongAdder count,
            CountDownLatch over) {
        void go() {
            while (!ends.get()) {
                AtomicBoolean passed = new AtomicBoolean();
                boolean unused =
                        caller.ask(keys == 1 ? 0 : ThreadLocalRandom.current().nextInt(keys), () -> {
                            if (measures.get()) {
                                count.increment();
                            }
                            if (!passed.compareAndSet(false, true)) {
                                go();
                            }
                        });
                if (passed.compareAndSet(false, true)) {
                    return;
                }
            }
            over.countDown();
        }
    }

    private static Result measure(
            AtomicBoolean measures,
            AtomicBoolean ends,
            LongAdder count,
            List<Thread> threads,
            long[] latencies,
            double seconds)
            throws InterruptedException {
        Thread.sleep((long) (seconds * 400));
        long begun = System.nanoTime();
        measures.set(true);
        Thread.sleep((long) (seconds * 1_000));
        measures.set(false);
        double took = (System.nanoTime() - begun) / 1e9;
        long sum = count.sum();
        ends.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        long[] sorted =
                Arrays.stream(latencies).filter(nanos -> nanos > 0).sorted().toArray();
        return sorted.length == 0
                ? new Result(sum / took, 0, 0, 0, 0, 0)
                : new Result(
                        sum / took,
                        Arrays.stream(sorted).average().orElse(0),
                        sorted[sorted.length / 2],
                        sorted[(int) (sorted.length * 0.95)],
                        sorted[(int) (sorted.length * 0.99)],
                        sorted[(int) (sorted.length * 0.999)]);
    }
}

package dev.weir.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Requests that come at the same instant. */
final class Parallel {
    private Parallel() {}

    /** How often it was true, when so many threads ask so many times each. */
    static int count(int threads, int times, Callable<Boolean> question) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<Integer>> counts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                counts.add(pool.submit(() -> {
                    start.await();
                    int count = 0;
                    for (int time = 0; time < times; time++) {
                        count += question.call() ? 1 : 0;
                    }
                    return count;
                }));
            }
            int sum = 0;
            for (Future<Integer> count : counts) {
                sum += count.get();
            }
            return sum;
        } finally {
            pool.shutdownNow();
        }
    }
}

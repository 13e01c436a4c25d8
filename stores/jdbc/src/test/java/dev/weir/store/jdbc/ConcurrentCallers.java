package dev.weir.store.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Threads that begin at the same time. */
final class ConcurrentCallers {
    private ConcurrentCallers() {}

    /** How many of them succeeded. */
    static long count(int threads, IntFunction<Callable<Boolean>> tasks) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CyclicBarrier barrier = new CyclicBarrier(threads);
        try {
            List<Future<Boolean>> futures = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Callable<Boolean> task = tasks.apply(i);
                futures.add(executor.submit(() -> {
                    barrier.await();
                    return task.call();
                }));
            }
            long count = 0;
            for (Future<Boolean> future : futures) {
                count += future.get(90, TimeUnit.SECONDS) ? 1 : 0;
            }
            return count;
        } finally {
            executor.shutdownNow();
        }
    }
}

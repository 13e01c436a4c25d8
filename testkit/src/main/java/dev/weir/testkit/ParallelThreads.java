package dev.weir.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a task in several threads that start at the same time. */
public final class ParallelThreads {
    private ParallelThreads() {}

    /** The task of one thread. */
    public interface Task<T> {
        T run(int thread) throws Exception;
    }

    /** Runs the task in this many threads at once and returns the result of each. */
    public static <T> List<T> run(int threads, Task<T> task) {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CyclicBarrier barrier = new CyclicBarrier(threads);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                futures.add(executor.submit(() -> {
                    barrier.await();
                    return task.run(thread);
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get(100, TimeUnit.SECONDS));
            }
            return results;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("a thread failed or hangs", e);
        } finally {
            executor.shutdownNow();
        }
    }

    /** Runs the task in this many threads at once and returns the sum of the results. */
    public static long sum(int threads, Task<Long> task) {
        return run(threads, task).stream().mapToLong(Long::longValue).sum();
    }

    /** Counts how often {@code question} returns true when each of the threads calls it this many times. */
    public static long count(int threads, int times, Callable<Boolean> question) {
        return sum(threads, thread -> {
            long count = 0;
            for (int time = 0; time < times; time++) {
                count += question.call() ? 1 : 0;
            }
            return count;
        });
    }
}

package dev.weir.benchmarks.rls;

import dev.weir.benchmarks.AnswerCheck;
import dev.weir.benchmarks.load.Contestant;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A load of a fixed rate, whether responses come or not, as a proxy sends it. The latency of a request counts from the
 * moment at which it was due, so that a stall of the sender counts, too.
 */
final class PacedLoad {
    private PacedLoad() {}

    /**
     * Sends so many requests at this rate and returns their latencies in microseconds, sorted.
     *
     * @throws MeasurementFailedException if a request was not admitted
     */
    static double[] run(String name, Contestant contestant, String[] keys, int perSecond, int requests)
            throws InterruptedException {
        long[] nanos = new long[requests];
        CountDownLatch pending = new CountDownLatch(requests);
        AnswerCheck answers = new AnswerCheck(name);
        long start = System.nanoTime();
        for (int i = 0; i < requests; i++) {
            long due = start + TimeUnit.SECONDS.toNanos(i) / perSecond;
            for (long early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
                LockSupport.parkNanos(early);
            }
            int own = i;
            contestant.checkLater().accept(keys[i % keys.length], (admitted, failure) -> {
                nanos[own] = System.nanoTime() - due;
                boolean unused = answers.accept(admitted, failure);
                pending.countDown();
            });
        }
        if (!pending.await(30, TimeUnit.SECONDS)) {
            throw MeasurementFailedException.wrongAnswer(name, "an answer", "none within 30 s");
        }
        answers.throwIfFailed();
        return Arrays.stream(nanos)
                .sorted()
                .mapToDouble(latency -> latency / 1e3)
                .toArray();
    }
}

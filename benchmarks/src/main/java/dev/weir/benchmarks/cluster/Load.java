package dev.weir.benchmarks.cluster;

import dev.weir.benchmarks.AnswerCheck;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** So many callers, each asking again as soon as it has its answer: in threads that wait, or by callbacks. */
final class Load {
    private static final int MOST_LATENCIES = 100_000;

    private final Contestant contestant;
    private final String[] keys;
    private final int callers;
    private final boolean callbacks;
    private final AnswerCheck answers;
    private volatile boolean measuring;
    private volatile boolean over;

    /** @param name of the benchmark, for its failures */
    Load(String name, Contestant contestant, String[] keys, int callers, boolean callbacks) {
        this.contestant = contestant;
        this.keys = keys;
        this.callers = callers;
        this.callbacks = callbacks;
        this.answers = new AnswerCheck(name);
    }

    /** What one caller saw while it was measured. */
    private static final class Seen {
        private final SplittableRandom random;
        private final int[] nanos = new int[MOST_LATENCIES];
        private volatile long count;

        private Seen(long seed) {
            this.random = new SplittableRandom(seed);
        }

        private void add(long elapsed) {
            nanos[(int) (count % MOST_LATENCIES)] = (int) Math.min(Integer.MAX_VALUE, elapsed);
            long next = count + 1;
            count = next;
        }
    }

    /** What a load came to; latencies in microseconds. */
    record Result(double opsPerSecond, double p50, double p99) {

        String line() {
            return opsPerSecond + " " + p50 + " " + p99;
        }

        static Result parse(String line) {
            String[] words = line.split(" ", -1);
            return new Result(Double.parseDouble(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2]));
        }
    }

    Result run(long warmMillis, long measureMillis) throws InterruptedException {
        List<Seen> seen = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(callers);
        for (int i = 0; i < callers; i++) {
            Seen own = new Seen(i);
            seen.add(own);
            if (callbacks) {
                next(own, ended);
            } else {
                new Thread(() -> loop(own, ended)).start();
            }
        }
        TimeUnit.MILLISECONDS.sleep(warmMillis);
        long begun = System.nanoTime();
        measuring = true;
        do {
            TimeUnit.MILLISECONDS.sleep(measureMillis);
        } while (!over && seen.stream().allMatch(each -> each.count == 0));
        measuring = false;
        double seconds = (System.nanoTime() - begun) / 1e9;
        over = true;
        if (!ended.await(30, TimeUnit.SECONDS)) {
            answers.accept(null, new TimeoutException("none within 30 s"));
        }
        answers.throwIfFailed();
        int[] all = seen.stream()
                .flatMapToInt(each -> Arrays.stream(each.nanos, 0, (int) Math.min(each.count, MOST_LATENCIES)))
                .sorted()
                .toArray();
        long count = seen.stream().mapToLong(each -> each.count).sum();
        return new Result(count / seconds, all[all.length / 2] / 1e3, all[(int) (all.length * 0.99)] / 1e3);
    }

    private void loop(Seen own, CountDownLatch ended) {
        try {
            while (!over) {
                long begun = System.nanoTime();
                arrived(own, begun, contestant.check(key(own)), null);
            }
        } catch (RuntimeException e) {
            arrived(own, 0, null, e);
        } finally {
            ended.countDown();
        }
    }

    /** Asks until an answer is pending; answers that are complete at once continue the loop, not nested calls. */
    private void next(Seen own, CountDownLatch ended) {
        while (!over) {
            long begun = System.nanoTime();
            var future = contestant.checkLater(key(own)).toCompletableFuture();
            boolean isDone = future.isDone();
            var unused = future.whenComplete((admitted, failure) -> {
                arrived(own, begun, admitted, failure);
                if (!isDone) {
                    next(own, ended);
                }
            });
            if (!isDone) {
                return;
            }
        }
        ended.countDown();
    }

    private void arrived(Seen own, long begun, @Nullable Boolean admitted, @Nullable Throwable failure) {
        if (!answers.accept(admitted, failure)) {
            over = true;
        } else if (measuring) {
            own.add(System.nanoTime() - begun);
        }
    }

    private String key(Seen own) {
        return keys.length == 1 ? keys[0] : keys[own.random.nextInt(keys.length)];
    }
}

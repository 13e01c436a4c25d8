package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.AnswerCheck;
import dev.weir.benchmarks.MeasurementFailedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** So many callers, each asking again as soon as it has its answer: in threads that wait, or by callbacks. */
final class Load {
    private static final int MOST_LATENCIES = 20_000;

    private final Contestant contestant;
    private final String[] keys;
    private final int callers;
    private final boolean callbacks;
    private final AnswerCheck answers;
    private volatile boolean measuring;
    private volatile boolean over;

    Load(Contestant contestant, String[] keys, int callers, boolean callbacks) {
        this.contestant = contestant;
        this.keys = keys;
        this.callers = callers;
        this.callbacks = callbacks;
        this.answers = new AnswerCheck(contestant.name());
    }

    /** What one caller saw while it was measured. */
    private static final class Seen {
        private final SplittableRandom random;
        private final int[] nanos = new int[MOST_LATENCIES];
        private final AtomicInteger toAsk = new AtomicInteger();
        private volatile long count;
        private volatile long allChecks;

        private Seen(long seed) {
            this.random = new SplittableRandom(seed);
        }

        private void addCheck() {
            long next = allChecks + 1;
            allChecks = next;
        }

        private void add(long elapsed) {
            nanos[(int) (count % MOST_LATENCIES)] = (int) Math.min(Integer.MAX_VALUE, elapsed);
            // One caller has one question under way, so that nobody else writes.
            long next = count + 1;
            count = next;
        }
    }

    /** What a load came to; latencies in microseconds. */
    record Result(double opsPerSecond, double p50, double p99, double cpuMicros, double commands) {}

    Result run(Server server, long warmMillis, long measureMillis) throws InterruptedException {
        double callsBefore = server.scriptCalls();
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
        double cpu = server.cpuMicros();
        double commands = server.commands();
        long begun = System.nanoTime();
        measuring = true;
        do {
            TimeUnit.MILLISECONDS.sleep(measureMillis);
        } while (!over && seen.stream().allMatch(each -> each.count == 0));
        measuring = false;
        double seconds = (System.nanoTime() - begun) / 1e9;
        double usedCpu = server.cpuMicros() - cpu;
        double usedCommands = server.commands() - commands;
        over = true;
        if (!ended.await(30, TimeUnit.SECONDS)) {
            throw MeasurementFailedException.wrongAnswer(contestant.name(), "an answer", "none within 30 s");
        }
        answers.throwIfFailed();
        long checks = seen.stream().mapToLong(each -> each.allChecks).sum();
        checkCalls(checks, server.scriptCalls() - callsBefore);
        return result(seen, seconds, usedCpu, usedCommands);
    }

    /** Every check was decided in Redis: by a call of its own, or by one that carried no more checks than there are callers. */
    private void checkCalls(long checks, double calls) {
        double least = contestant.isBatching() ? (double) checks / callers : checks;
        if (calls < least) {
            throw MeasurementFailedException.wrongAnswer(
                    contestant.name(), "at least " + least + " calls of scripts for " + checks + " checks", calls);
        }
    }

    private static Result result(List<Seen> seen, double seconds, double cpu, double commands) {
        long count = seen.stream().mapToLong(each -> each.count).sum();
        int[] all = seen.stream()
                .flatMapToInt(each -> Arrays.stream(each.nanos, 0, (int) Math.min(each.count, MOST_LATENCIES)))
                .sorted()
                .toArray();
        return new Result(
                count / seconds,
                all[all.length / 2] / 1e3,
                all[(int) (all.length * 0.99)] / 1e3,
                cpu / count,
                commands / count);
    }

    private void loop(Seen own, CountDownLatch ended) {
        try {
            while (!over) {
                String key = key(own);
                long begun = System.nanoTime();
                arrived(own, begun, contestant.check(key), null);
            }
        } catch (RuntimeException e) {
            arrived(own, 0, null, e);
        } finally {
            ended.countDown();
        }
    }

    /** Asks again for every answer: whoever is answered at once, or by another thread, goes on in a loop. */
    private void next(Seen own, CountDownLatch ended) {
        if (own.toAsk.getAndIncrement() > 0) {
            return;
        }
        do {
            if (over) {
                ended.countDown();
            } else {
                long begun = System.nanoTime();
                contestant.checkLater(key(own), (admitted, failure) -> {
                    arrived(own, begun, admitted, failure);
                    next(own, ended);
                });
            }
        } while (own.toAsk.decrementAndGet() > 0);
    }

    private void arrived(Seen own, long begun, @Nullable Boolean admitted, @Nullable Throwable failure) {
        if (!answers.accept(admitted, failure)) {
            over = true;
            return;
        }
        own.addCheck();
        if (measuring) {
            own.add(System.nanoTime() - begun);
        }
    }

    private String key(Seen own) {
        return keys.length == 1 ? keys[0] : keys[own.random.nextInt(keys.length)];
    }
}

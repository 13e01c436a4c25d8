package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.TokenBucket;
import dev.weir.fixture.RedisProcess;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The CPU use of the event loops of a store that spins, with a real Redis. */
@Tag("io")
class SpinningEventLoopsTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Duration WATCHED = Duration.ofMillis(600);
    private static final List<Charge> CHARGES =
            List.of(Charge.of(Key.of("spin"), TokenBucket.of(1_000_000, 1_000_000, Duration.ofSeconds(1))));

    private final Set<Long> others = loops();
    private final RedisProcess redis = RedisProcess.start();
    private final RedisStore store =
            RedisStore.open(RedisStoreOptions.parse(redis.uri() + "?spin=true").withTimeout(Duration.ofMinutes(1)));

    @AfterEach
    void close() {
        store.close();
        redis.close();
    }

    @Test
    void consume_byCallbacks_isAnswered() throws InterruptedException {
        CountDownLatch answered = new CountDownLatch(1_000);
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        askAgain(answered, failures);
        assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
    }

    private void askAgain(CountDownLatch answered, Queue<Throwable> failures) {
        store.consume(CHARGES).whenDone((decision, failure) -> {
            if (failure != null) {
                failures.add(failure);
            }
            answered.countDown();
            if (answered.getCount() > 0) {
                askAgain(answered, failures);
            }
        });
    }

    @Test
    void nobodyAsks_theLoopsSleep() {
        assertThat(usedWhile(() -> {})).isLessThan(0.17);
    }

    @Test
    void redisHangs_theLoopsSleep() {
        redis.suspend();
        // Every call is under way until the store is closed, and every two milliseconds another wakes the loop.
        assertThat(usedWhile(() -> store.consume(CHARGES).whenDone((decision, failure) -> {})))
                .isLessThan(0.42);
        redis.resume();
    }

    /** The share of a CPU that this store's event loops use while something is done every two milliseconds. */
    private double usedWhile(Runnable something) {
        Set<Long> own = loops();
        own.removeAll(others);
        assertThat(own).isNotEmpty();
        long before = cpu(own);
        long begun = System.nanoTime();
        await().pollInterval(Duration.ofMillis(2)).until(() -> {
            something.run();
            return System.nanoTime() - begun > WATCHED.toNanos();
        });
        return (double) (cpu(own) - before) / (System.nanoTime() - begun);
    }

    private static long cpu(Set<Long> threads) {
        return threads.stream().mapToLong(THREADS::getThreadCpuTime).sum();
    }

    private static Set<Long> loops() {
        return LongStream.of(THREADS.getAllThreadIds())
                .mapToObj(THREADS::getThreadInfo)
                .filter(info -> info != null && info.getThreadName().startsWith("lettuce-nioEventLoop"))
                .map(ThreadInfo::getThreadId)
                .collect(Collectors.toSet());
    }
}

package dev.weir.store.durableobjects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.engine.guard.CircuitBreaker;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.guard.GuardedStore;
import dev.weir.fixture.WorkerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The worker stops, hangs and recovers: no acknowledged decision is lost, no caller waits too long, and the store
 * recovers.
 */
@Tag("io")
class DurableObjectsFailureTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final Duration DEADLINE = Duration.ofMillis(500);
    private static final long CAPACITY = 1_000_000;
    private static final Policy POLICY = TokenBucket.of(CAPACITY, 1, Duration.ofDays(10));
    private static final int THREADS = 16;

    private final WorkerProcess worker = WorkerProcess.start();
    private final DurableObjectsStore store = DurableObjectsStore.open(
            DurableObjectsStoreOptions.parse(worker.uri()).withTimeout(DEADLINE));
    private final GuardedStore guarded =
            new GuardedStore(store, GuardOptions.defaults().withDeadline(DEADLINE), new CircuitBreaker.Listener() {
                @Override
                public void opened(String cause) {}

                @Override
                public void closed(Duration open) {}
            });

    @AfterEach
    void close() {
        guarded.close();
        worker.close();
    }

    @Test
    void consume_whileTheWorkerIsKilledAndRestarted_losesNothingAcknowledged() {
        Load load = new Load();
        for (int round = 0; round < 2; round++) {
            long before = load.admitted.get();
            await().atMost(TIMEOUT).until(() -> load.admitted.get() > before + 100);
            worker.kill();
            await().atMost(TIMEOUT).until(guarded::isCircuitOpen);
            worker.restart();
        }
        long before = load.admitted.get();
        await().atMost(TIMEOUT).until(() -> load.admitted.get() > before + 100);
        load.end();
        assertThat(load.failed.get()).isPositive();
        // A call whose answer was lost may have been made: it spent, and admitted nobody.
        assertThat(CAPACITY - remaining()).isGreaterThanOrEqualTo(load.admitted.get());
        assertThat(CAPACITY - remaining()).isLessThanOrEqualTo(load.admitted.get() + load.failed.get());
        assertThat(Duration.ofNanos(load.slowest.get())).isLessThan(DEADLINE.plusSeconds(5));
    }

    @Test
    void consume_whileTheWorkerHangs_failsInTimeAndRecovers() {
        Load load = new Load();
        await().atMost(TIMEOUT).until(() -> load.admitted.get() > 100);
        worker.suspend();
        await().atMost(TIMEOUT).until(guarded::isCircuitOpen);
        long failed = load.failed.get();
        await().atMost(TIMEOUT).until(() -> load.failed.get() > failed + 100);
        worker.resume();
        long before = load.admitted.get();
        await().atMost(TIMEOUT).until(() -> load.admitted.get() > before + 100);
        load.end();
        assertThat(CAPACITY - remaining()).isGreaterThanOrEqualTo(load.admitted.get());
    }

    @Test
    void open_withAnotherToken_isRefusedAndSaysWhatToDo() {
        DurableObjectsStoreOptions wrong = DurableObjectsStoreOptions.parse(worker.uri() + "-wrong");
        assertThatThrownBy(() -> DurableObjectsStore.open(wrong))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("rejected the token; the option token must be its secret WEIR_TOKEN")
                .message()
                .doesNotContain(WorkerProcess.TOKEN);
        assertThat(worker.log()).doesNotContain(WorkerProcess.TOKEN);
    }

    @Test
    void open_whereNoSecretIsSet_isRefused() {
        try (WorkerProcess open = WorkerProcess.start("", false)) {
            assertThatThrownBy(() -> DurableObjectsStore.open(DurableObjectsStoreOptions.parse(open.uri())))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("503")
                    .hasMessageContaining("WEIR_TOKEN is not set");
        }
    }

    @Test
    void open_ofAnOrdinaryWorker_doesNotTakeATestsTime() {
        DurableObjectsStoreOptions options = DurableObjectsStoreOptions.parse(worker.uri());
        byte[] body = new WorkerPayload()
                .number(1)
                .framed(new byte[] {'c'})
                .framed(new byte[2])
                .framed(new byte[] {'1', ' ', '1'})
                .bytes();
        assertThatThrownBy(() -> new WorkerClient(options)
                        .post("/v1/shards/0", body, 100)
                        .join())
                .hasMessageContaining("400");
    }

    private long remaining() {
        return store.peek(List.of(Charge.of(Load.KEY, POLICY)))
                .await(TIMEOUT)
                .reading(0)
                .remaining();
    }

    /** Callers that ask again and again through the guard, as the engine does. */
    private final class Load {
        static final Key KEY = Key.of("load");

        private final AtomicLong admitted = new AtomicLong();
        private final AtomicLong failed = new AtomicLong();
        private final AtomicLong slowest = new AtomicLong();
        private final AtomicBoolean over = new AtomicBoolean();
        private final List<Thread> threads = new ArrayList<>();

        Load() {
            for (int i = 0; i < THREADS; i++) {
                Thread thread = new Thread(this::run);
                threads.add(thread);
                thread.start();
            }
        }

        private void run() {
            List<Charge> charges = List.of(Charge.of(KEY, POLICY));
            while (!over.get()) {
                long begun = System.nanoTime();
                try {
                    admitted.addAndGet(
                            guarded.consume(charges, false).await(TIMEOUT).admitted() ? 1 : 0);
                } catch (StoreException e) {
                    failed.incrementAndGet();
                    slowest.accumulateAndGet(System.nanoTime() - begun, Math::max);
                    // As a client would that was told to come back later.
                    LockSupport.parkNanos(1_000_000);
                }
            }
        }

        void end() {
            over.set(true);
            for (Thread thread : threads) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}

package dev.weir.store.durableobjects;

import dev.weir.fixture.WorkerProcess;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** One worker for all tests that need no worker of their own; each test has its own prefix. */
final class SharedWorker {
    private static final WorkerProcess PROCESS = WorkerProcess.withTestClock();
    private static final AtomicInteger PREFIXES = new AtomicInteger();

    private static final WorkerClient WORKER = new WorkerClient(options());

    private SharedWorker() {}

    /** Ways to the shared worker, apart from all others. */
    static DurableObjectsStoreOptions options() {
        // Tests stop for longer than production would wait, when the machine is busy.
        return DurableObjectsStoreOptions.parse(PROCESS.uri())
                .withPrefix("t" + PREFIXES.incrementAndGet())
                .withTimeout(Duration.ofMinutes(1));
    }

    /** One client for those who only need a new, empty store. */
    static WorkerClient worker() {
        return WORKER;
    }

    static WorkerProcess process() {
        return PROCESS;
    }
}

package dev.weir.binding.websocket;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Calls the application's hook once for each refusal, in a thread of its own. No other thread waits for it. An
 * exception is logged, and a hook that hangs delays only later hook calls. Refusals beyond the queue's capacity are
 * dropped and counted.
 */
final class HookRunner implements AutoCloseable {
    private static final Logger LOG = System.getLogger(HookRunner.class.getName());
    private static final int MOST_WAITING = 10_000;

    private final Consumer<LimitExceeded> hook;
    private final AtomicLong dropped = new AtomicLong();
    private final ThreadPoolExecutor thread;

    HookRunner(Consumer<LimitExceeded> hook) {
        this.hook = hook;
        this.thread = new ThreadPoolExecutor(
                1,
                1,
                30,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MOST_WAITING),
                task -> {
                    Thread made = new Thread(task, "weir-limit-exceeded");
                    made.setDaemon(true);
                    return made;
                },
                (task, full) -> dropped.incrementAndGet());
        thread.allowCoreThreadTimeOut(true);
    }

    void tell(LimitExceeded exceeded) {
        thread.execute(() -> call(exceeded));
    }

    /** The number of refusals that were dropped. */
    long dropped() {
        return dropped.get();
    }

    private void call(LimitExceeded exceeded) {
        try {
            hook.accept(exceeded);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "onLimitExceeded failed", e);
        }
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}

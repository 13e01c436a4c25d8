package dev.weir;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The waiting callers of a limiter: one queue for each key, first in, first out.
 *
 * <p>Only the first caller of a queue calls the store. It sleeps for the time that the refusal returned, and tries
 * again. Safe for use by any number of threads.
 */
public final class WaiterQueue {
    private static final VarHandle WAITING;

    static {
        try {
            WAITING = MethodHandles.lookup().findVarHandle(WaiterQueue.class, "waiting", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ConcurrentHashMap<String, KeyQueue> turns = new ConcurrentHashMap<>();
    /** The number of waiting callers of all keys. Callers that do not wait read it first. */
    private volatile int waiting;

    WaiterQueue() {}

    /** The queue of one key: its fair lock, and how many callers wait for it. */
    private static final class KeyQueue {
        final ReentrantLock lock = new ReentrantLock(true);
        /** Changed only inside {@link ConcurrentHashMap#compute}. */
        int waiting;
    }

    /** Whether no caller waits for this key, so that a call now overtakes no other. */
    public boolean isFree(String key) {
        return waiting == 0 || !turns.containsKey(key);
    }

    boolean consume(String key, Duration timeout, Supplier<Reading> attempt) throws InterruptedException {
        long deadline = System.nanoTime() + saturatedNanos(timeout);
        KeyQueue turn = enter(key);
        try {
            if (!turn.lock.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                return false;
            }
            try {
                return consumeFirst(deadline, attempt);
            } finally {
                turn.lock.unlock();
            }
        } finally {
            leave(key);
        }
    }

    private static boolean consumeFirst(long deadline, Supplier<Reading> attempt) throws InterruptedException {
        while (true) {
            Reading reading = attempt.get();
            if (!(reading instanceof Reading.Refused refused)) {
                return reading instanceof Reading.Admitted;
            }
            long wait = saturatedNanos(refused.retryAfter());
            if (wait > deadline - System.nanoTime()) {
                return false;
            }
            TimeUnit.NANOSECONDS.sleep(Math.max(1, wait));
        }
    }

    private KeyQueue enter(String key) {
        WAITING.getAndAdd(this, 1);
        return turns.compute(key, (same, turn) -> {
            KeyQueue entered = turn == null ? new KeyQueue() : turn;
            entered.waiting++;
            return entered;
        });
    }

    private void leave(String key) {
        turns.computeIfPresent(key, (same, turn) -> --turn.waiting == 0 ? null : turn);
        WAITING.getAndAdd(this, -1);
    }

    /** At most half of the range of a long, so that a deadline in the far future does not wrap around. */
    private static long saturatedNanos(Duration timeout) {
        Duration longest = Duration.ofNanos(Long.MAX_VALUE / 2);
        return timeout.compareTo(longest) > 0 ? longest.toNanos() : timeout.toNanos();
    }
}

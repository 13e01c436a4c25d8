package dev.weir.testkit;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.StoreException;
import dev.weir.memory.MemoryStore;
import dev.weir.remote.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A real store whose results a test can delay, hold back or replace by failures. */
public class FailureInjectingStore implements Store {
    private volatile Store store;
    private final AtomicInteger calls = new AtomicInteger();
    private final Queue<Runnable> heldBack = new ConcurrentLinkedQueue<>();
    private volatile Behavior behavior = Behavior.WELL;
    private volatile Duration deadline;

    /** How the store completes calls. */
    public enum Behavior {
        WELL,
        /** Executes the call and completes it soon, in another thread. */
        LATER,
        /** Executes the call and holds the result back until {@link #release}. */
        HELD,
        FAILS,
        FAILS_LATER,
        /** Fails as if the stored data of these keys were unreadable. */
        DAMAGED,
        /** Throws a store exception from the call itself, instead of completing the result. */
        THROWS,
        /** Throws an unexpected exception, as a bug would. */
        BREAKS
    }

    /** Creates one on a new memory store. */
    public FailureInjectingStore() {
        this(MemoryStore.create());
    }

    public FailureInjectingStore(Store store) {
        this.store = store;
        this.deadline = store.deadline();
    }

    /** Delegates to another store from now on, and closes the previous one. */
    protected final void replace(Store newStore) {
        Store before = store;
        store = newStore;
        before.close();
    }

    /** Sets the time that a call may take, as reported from now on. */
    public final void need(Duration newDeadline) {
        deadline = newDeadline;
    }

    @Override
    public Duration deadline() {
        return deadline;
    }

    /** Sets the behavior of calls from now on. */
    public final void be(Behavior newMood) {
        behavior = newMood;
    }

    /** The number of calls so far. */
    public final int calls() {
        return calls.get();
    }

    /** Completes the result that was held back first; returns false if there is none. */
    public final boolean release() {
        Runnable next = heldBack.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    /** Completes all results that were held back. */
    public final void releaseAll() {
        while (release()) {
            // Repeats until no result is held back.
        }
    }

    private <T> Answer<T> answer(Supplier<Answer<T>> real) {
        calls.incrementAndGet();
        Promise<T> promise = new Promise<>();
        switch (behavior) {
            case WELL -> {
                return real.get();
            }
            case THROWS -> throw new StoreException("connection refused", true, null);
            case BREAKS -> throw new IllegalStateException("a bug of the store");
            case FAILS -> promise.fail(new StoreException("connection reset", true, null));
            case DAMAGED -> promise.fail(StoreException.damaged("a value cannot be read", null));
            case FAILS_LATER -> later(() -> promise.fail(new StoreException("connection reset", true, null)));
            case LATER -> later(outcome(real, promise));
            case HELD -> heldBack.add(outcome(real, promise));
        }
        return promise;
    }

    /** Executes the call now and completes the promise when it is run. The backend detects misuse, too. */
    private static <T> Runnable outcome(Supplier<Answer<T>> real, Promise<T> promise) {
        try {
            T value = real.get().now();
            return () -> promise.complete(Objects.requireNonNull(value));
        } catch (IllegalArgumentException e) {
            return () -> promise.fail(new StoreException(String.valueOf(e.getMessage()), false, e));
        } catch (StoreException e) {
            return () -> promise.fail(e);
        }
    }

    private static void later(Runnable task) {
        Thread thread = new Thread(task, "backend");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public Answer<Decision> consume(List<Charge> charges) {
        return answer(() -> store.consume(charges));
    }

    @Override
    public Answer<Decision> peek(List<Charge> charges) {
        return answer(() -> store.peek(charges));
    }

    @Override
    public Answer<Boolean> refund(Decision decision) {
        return store.refund(decision);
    }

    @Override
    public Answer<Boolean> reset(List<Key> keys) {
        return answer(() -> store.reset(keys));
    }

    @Override
    public Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        return answer(() -> store.reserve(id, charges, ttl));
    }

    @Override
    public Answer<Settlement> settle(String id, Map<String, Long> costs) {
        return answer(() -> store.settle(id, costs));
    }

    @Override
    public Answer<Settlement> cancel(String id) {
        return answer(() -> store.cancel(id));
    }

    @Override
    public Answer<Boolean> prolong(String id, Duration ttl) {
        return answer(() -> store.prolong(id, ttl));
    }

    @Override
    public Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        return answer(() -> store.acquire(id, charges, ttl));
    }

    @Override
    public Answer<Boolean> renew(String id, Duration ttl) {
        return answer(() -> store.renew(id, ttl));
    }

    @Override
    public Answer<Boolean> release(String id) {
        return answer(() -> store.release(id));
    }

    @Override
    public void close() {
        store.close();
    }
}

package dev.weir.remote;

import dev.weir.Answer;
import dev.weir.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is on its way: given once, by whoever is first; what comes later is not heard.
 *
 * <p>Misuse that only the backend could find out is a failure with an {@link IllegalArgumentException} as its cause: one who
 * waits gets that exception, as from a store that finds it out at once, and a callback the failure.
 *
 * @param <T> what is answered
 */
public class Promise<T> implements Answer<T> {
    /*
     * There is one for every question that travels, so it does no more than that. Whoever waits is pushed on a stack
     * and then looks whether the answer came meanwhile; whoever answers does so first and then takes the stack. So one
     * of them sees the other, and as a stack is taken whole, nobody is called twice.
     */
    private static final Logger LOG = System.getLogger(Promise.class.getName());
    private static final VarHandle OUTCOME = handle("outcome", Object.class);
    private static final VarHandle WAITING = handle("waiting", Waiter.class);

    /** The answer, or {@link Failed}; null while it is on its way. */
    private volatile @Nullable Object outcome;

    private volatile @Nullable Waiter<T> waiting;

    /** Null where a thread that waits parks at once. */
    private final @Nullable SpinWait spinWait;

    private record Failed(StoreException failure) {}

    /** Somebody who waits: a callback, or a thread that is parked. */
    private static final class Waiter<T> {
        private final @Nullable BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback;
        private final @Nullable Thread thread;
        private @Nullable Waiter<T> next;

        private Waiter(
                @Nullable BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback,
                @Nullable Thread thread) {
            this.callback = callback;
            this.thread = thread;
        }
    }

    public Promise() {
        this((SpinWait) null);
    }

    Promise(@Nullable SpinWait spinWait) {
        this.spinWait = spinWait;
    }

    /** For what will be made of another answer: who waits for it waits in the same way. */
    public Promise(Answer<?> other) {
        this(other instanceof Promise<?> promise ? promise.spinWait : null);
    }

    /** The answer to misuse. */
    public static <T> Answer<T> misuse(IllegalArgumentException misuse) {
        return failed(new StoreException(String.valueOf(misuse.getMessage()), false, misuse));
    }

    /** What a result is that may also be the exception which tells why there is none, misuse or a failure of this call alone. */
    @SuppressWarnings("unchecked") // What is no exception is what the call answers.
    public static <T> Answer<T> ofResult(Object result) {
        if (result instanceof IllegalArgumentException misuse) {
            return misuse(misuse);
        }
        return result instanceof StoreException failure ? failed(failure) : Answer.of((T) result);
    }

    /** An answer that failed from the start. */
    public static <T> Answer<T> failed(StoreException failure) {
        Promise<T> promise = new Promise<>();
        promise.fail(failure);
        return promise;
    }

    /** Gives the answer; false if one was given before. */
    public boolean complete(T value) {
        return settle(Objects.requireNonNull(value, "an answer is never null"));
    }

    /** Gives the failure; false if an answer was given before. */
    public boolean fail(StoreException failure) {
        return settle(new Failed(failure));
    }

    /** Gives what another answer gives, at once if it is here. */
    public void follow(Answer<T> other) {
        other.whenDone((value, failure) -> {
            if (failure == null) {
                complete(Objects.requireNonNull(value));
            } else {
                fail(failure);
            }
        });
    }

    @Override
    public boolean isDone() {
        return outcome != null;
    }

    @Override
    public T now() {
        Object present = outcome;
        if (present == null) {
            throw new IllegalStateException("the answer is still on its way; await it, or ask to be called back");
        }
        return value(present);
    }

    @Override
    public T await(Duration timeout) {
        if (spinWait != null) {
            spinWait.noteThread();
        }
        Object present = outcome;
        if (present == null) {
            present = outcomeWithin(timeout.toNanos());
        }
        if (present == null) {
            throw new StoreException("there was no answer within " + timeout.toMillis() + " ms", true, null);
        }
        return value(present);
    }

    @Override
    public void whenDone(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback) {
        Object present = outcome;
        if (present != null) {
            tell(callback, present);
        } else {
            push(new Waiter<>(callback, null));
        }
    }

    private boolean settle(Object given) {
        if (!OUTCOME.compareAndSet(this, null, given)) {
            return false;
        }
        wakeAll(given);
        return true;
    }

    private @Nullable Object outcomeWithin(long nanos) {
        long begun = System.nanoTime();
        if (spinWait == null) {
            return outcomeUntil(begun + nanos);
        }
        spinWait.begin();
        try {
            return spinWait.sees(this, begun, nanos) ? outcome : outcomeUntil(begun + nanos);
        } finally {
            spinWait.end();
        }
    }

    private @Nullable Object outcomeUntil(long end) {
        push(new Waiter<>(null, Thread.currentThread()));
        while (true) {
            Object present = outcome;
            long left = end - System.nanoTime();
            if (present != null || left <= 0) {
                return present;
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new StoreException("interrupted while waiting for the store", true, null);
            }
            LockSupport.parkNanos(this, left);
        }
    }

    private void push(Waiter<T> waiter) {
        do {
            waiter.next = waiting;
        } while (!WAITING.compareAndSet(this, waiter.next, waiter));
        Object present = outcome;
        if (present != null) {
            wakeAll(present);
        }
    }

    @SuppressWarnings("unchecked")
    private void wakeAll(Object present) {
        Waiter<T> last = (Waiter<T>) WAITING.getAndSet(this, null);
        // In the order in which they came.
        Waiter<T> first = null;
        while (last != null) {
            Waiter<T> before = last.next;
            last.next = first;
            first = last;
            last = before;
        }
        for (Waiter<T> each = first; each != null; each = each.next) {
            if (each.callback != null) {
                tell(each.callback, present);
            } else {
                LockSupport.unpark(each.thread);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private void tell(BiConsumer<? super @Nullable T, ? super @Nullable StoreException> callback, Object present) {
        try {
            if (present instanceof Failed failed) {
                callback.accept(null, failed.failure);
            } else {
                callback.accept((T) present, null);
            }
        } catch (RuntimeException | Error e) {
            // The other callbacks are called all the same, and the thread that completes the promise goes on.
            LOG.log(Level.ERROR, "a callback of an answer threw; it must handle its own failures", e);
        }
    }

    @SuppressWarnings("unchecked")
    private T value(Object present) {
        if (present instanceof Failed failed) {
            if (failed.failure.getCause() instanceof IllegalArgumentException misuse) {
                throw misuse;
            }
            throw failed.failure;
        }
        return (T) present;
    }

    private static VarHandle handle(String field, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(Promise.class, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}

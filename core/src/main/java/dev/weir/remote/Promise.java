package dev.weir.remote;

import dev.weir.Answer;
import dev.weir.DurationText;
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
 * A pending result. The first completion wins; later ones are ignored.
 *
 * <p>Misuse that only the backend can detect is a failure with an {@link IllegalArgumentException} as its cause. A
 * waiting caller gets that exception, as from a store that detects it at once; a callback gets the failure. Safe for
 * use by any number of threads.
 *
 * @param <T> the type of the result
 */
public class Promise<T> implements Answer<T> {
    /*
     * There is one promise for every request to a remote backend, so it has two fields of state and no lock.
     *
     * outcome: null while pending; then the value, or a Failed. It changes once, by compare-and-set in settle(). Any
     * thread may complete the promise, and the first one wins.
     *
     * waiting: a Treiber stack of callbacks and parked threads that have not been notified. push() adds one waiter by
     * compare-and-set. wakeAll() takes the whole stack by exchanging it with null, reverses it, and notifies the
     * waiters in order of registration.
     *
     * No waiter is missed: a waiter is pushed first and then outcome is read, and the completing thread sets outcome
     * first and then takes the stack. Both fields are volatile, so at least one of the two threads sees the other. If
     * both do, only one of them gets the stack, so no callback runs twice.
     *
     * A callback runs in the thread that took the stack: the completing thread, or one that adds a waiter at the same
     * time. A parked thread reads outcome after every wake-up, so a spurious or repeated unpark is harmless. After a
     * timeout its waiter stays on the stack, and the completion unparks that thread once too often, which is harmless,
     * too.
     */
    private static final Logger LOG = System.getLogger(Promise.class.getName());
    private static final VarHandle OUTCOME = handle("outcome", Object.class);
    private static final VarHandle WAITING = handle("waiting", Waiter.class);

    /** The value, or {@link Failed}; null while pending. */
    private volatile @Nullable Object outcome;

    private volatile @Nullable Waiter<T> waiting;

    /** Null if waiting threads park at once. */
    private final @Nullable SpinWait spinWait;

    private record Failed(StoreException failure) {}

    /** A waiter: a callback or a parked thread. */
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

    /** Creates a promise of a result that depends on another answer: threads wait for it in the same way. */
    public Promise(Answer<?> other) {
        this(other instanceof Promise<?> promise ? promise.spinWait : null);
    }

    /** Returns an answer that failed because of misuse. */
    public static <T> Answer<T> misuse(IllegalArgumentException misuse) {
        return failed(new StoreException(String.valueOf(misuse.getMessage()), false, misuse));
    }

    /** Returns the answer for a result that may also be an exception: misuse, or a failure of this call alone. */
    @SuppressWarnings("unchecked") // A result that is not an exception has the type of the call.
    public static <T> Answer<T> ofResult(Object result) {
        if (result instanceof IllegalArgumentException misuse) {
            return misuse(misuse);
        }
        return result instanceof StoreException failure ? failed(failure) : Answer.of((T) result);
    }

    /** Returns an answer that is already failed. */
    public static <T> Answer<T> failed(StoreException failure) {
        Promise<T> promise = new Promise<>();
        promise.fail(failure);
        return promise;
    }

    /** Completes with a value; false if the promise was complete before. */
    public boolean complete(T value) {
        return settle(Objects.requireNonNull(value, "an answer is never null"));
    }

    /** Completes with a failure; false if the promise was complete before. */
    public boolean fail(StoreException failure) {
        return settle(new Failed(failure));
    }

    /** Completes with the result of another answer, at once if that is complete. */
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
            throw new StoreException("there was no answer within " + DurationText.of(timeout), true, null);
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
            return spinWait.spinUntilDone(this, begun, nanos) ? outcome : outcomeUntil(begun + nanos);
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
        // Reverse: the waiters are notified in order of registration.
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
            // The other callbacks still run, and the thread that completes the promise continues.
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

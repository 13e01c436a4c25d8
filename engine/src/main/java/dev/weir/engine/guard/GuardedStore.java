package dev.weir.engine.guard;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.StoreException;
import dev.weir.remote.Deadlines;
import dev.weir.remote.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store with a deadline and a circuit breaker: every call is answered in time, if only by a failure.
 *
 * <p>A store that throws, answers with a failure or does not answer in time has failed; misuse ({@link
 * IllegalArgumentException}, thrown or as the cause of an answer's failure) is passed on and says nothing about it. A store
 * that is full for a call, or finds a damaged value, has answered: only this call fails. A store
 * must not block the caller: one that does holds the caller for as long as it blocks. What was spent by a call whose caller
 * was told of a failure is given back when the answer comes late after all, where the caller wishes.
 */
public final class GuardedStore implements AutoCloseable {
    private final Store store;
    private final Duration deadline;
    private final StoreLabel label;
    private final CircuitBreaker breaker;
    private final Deadlines deadlines;
    private volatile @Nullable CallTimer timer;

    public GuardedStore(Store store, GuardOptions options, CircuitBreaker.Listener listener) {
        this(store, options, listener, StoreLabel.of(store));
    }

    public GuardedStore(Store store, GuardOptions options, CircuitBreaker.Listener listener, StoreLabel label) {
        this.store = store;
        this.label = label;
        this.breaker = new CircuitBreaker(options.tolerance(), options.pause(), System::nanoTime, listener);
        Duration chosen = options.deadline();
        this.deadline = chosen == null ? store.deadline() : chosen;
        this.deadlines = new Deadlines(deadline);
    }

    /** The store as it is. */
    public Store bare() {
        return store;
    }

    /** Whether calls fail at once because the store has not answered. */
    public boolean isGivenUp() {
        return breaker.isOpen();
    }

    /** Tells how long each call takes from now on; null ends it. */
    public void time(@Nullable CallTimer newTimer) {
        timer = newTimer;
    }

    /**
     * See {@link Store#consume}.
     *
     * @param refundIfLate whether to give back what was spent if the answer comes after the deadline
     */
    public Answer<Decision> consume(List<Charge> charges, boolean refundIfLate) {
        return guard(StoreCall.CONSUME, () -> store.consume(charges), refundIfLate ? this::refund : null);
    }

    public Answer<Decision> peek(List<Charge> charges) {
        return guard(StoreCall.PEEK, () -> store.peek(charges), null);
    }

    /** See {@link Store#refund}. */
    public Answer<Boolean> giveBack(Decision decision) {
        return guard(StoreCall.REFUND, () -> store.refund(decision), null);
    }

    public Answer<Boolean> reset(List<Key> keys) {
        return guard(StoreCall.RESET, () -> store.reset(keys), null);
    }

    /** See {@link Store#reserve}; cancelled if the answer comes after the deadline. */
    public Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        return guard(StoreCall.RESERVE, () -> store.reserve(id, charges, ttl), late -> store.cancel(id));
    }

    public Answer<Settlement> settle(String id, Map<String, Long> costs) {
        return guard(StoreCall.SETTLE, () -> store.settle(id, costs), null);
    }

    public Answer<Settlement> cancel(String id) {
        return guard(StoreCall.CANCEL, () -> store.cancel(id), null);
    }

    public Answer<Boolean> prolong(String id, Duration ttl) {
        return guard(StoreCall.PROLONG, () -> store.prolong(id, ttl), null);
    }

    /** See {@link Store#acquire}; released if the answer comes after the deadline. */
    public Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        return guard(StoreCall.ACQUIRE, () -> store.acquire(id, charges, ttl), late -> store.release(id));
    }

    public Answer<Boolean> renew(String id, Duration ttl) {
        return guard(StoreCall.RENEW, () -> store.renew(id, ttl), null);
    }

    public Answer<Boolean> release(String id) {
        return guard(StoreCall.RELEASE, () -> store.release(id), null);
    }

    /** Closes the store. */
    @Override
    public void close() {
        deadlines.close();
        store.close();
    }

    private void refund(Decision decision) {
        if (decision.admitted()) {
            store.refund(decision);
        }
    }

    private <T> Answer<T> guard(StoreCall call, Supplier<Answer<T>> ask, @Nullable Consumer<T> late) {
        StoreException refusal = breaker.refusal();
        if (refusal != null) {
            return Promise.failed(refusal);
        }
        CallTimer present = timer;
        long begun = present == null ? 0 : System.nanoTime();
        Answer<T> answer;
        try {
            answer = ask.get();
            if (answer.isDone()) {
                answer.now();
                breaker.succeeded();
                tell(present, call, begun, true);
                return answer;
            }
        } catch (IllegalArgumentException e) {
            breaker.abandoned();
            throw e;
        } catch (RuntimeException e) {
            return failed(e, present, call, begun);
        }
        return pending(answer, late, present, call, begun);
    }

    private <T> Answer<T> pending(
            Answer<T> answer, @Nullable Consumer<T> late, @Nullable CallTimer present, StoreCall call, long begun) {
        Promise<T> promise = new Promise<>(answer);
        // The breaker knows before the caller does: whoever has heard of a failure finds it counted.
        AtomicBoolean decided = new AtomicBoolean();
        answer.whenDone((value, failure) -> {
            boolean isFirst = decided.compareAndSet(false, true);
            if (failure != null) {
                if (isFirst) {
                    StoreException named = named(failure);
                    note(named, present, call, begun);
                    promise.fail(named);
                }
            } else if (isFirst) {
                breaker.succeeded();
                tell(present, call, begun, true);
                promise.complete(Objects.requireNonNull(value));
            } else if (late != null) {
                late.accept(value);
            }
        });
        if (!promise.isDone()) {
            deadlines.watch(promise::isDone, () -> {
                if (decided.compareAndSet(false, true)) {
                    StoreException failure = new StoreException(label.late(deadline.toMillis()), true, null);
                    note(failure, present, call, begun);
                    promise.fail(failure);
                }
            });
        }
        return promise;
    }

    private <T> Answer<T> failed(RuntimeException e, @Nullable CallTimer present, StoreCall call, long begun) {
        StoreException failure = e instanceof StoreException known
                ? named(known)
                : new StoreException(label.failed(e.toString(), true), true, e);
        note(failure, present, call, begun);
        return Promise.failed(failure);
    }

    /** The same failure with the name of the store, which callers of the engine did not choose by themselves. */
    private StoreException named(StoreException failure) {
        if (isMisuse(failure)) {
            return failure;
        }
        String message = String.valueOf(failure.getMessage());
        return failure.withMessage(
                failure.kind() == StoreException.Kind.FAILED
                        ? label.failed(message, failure.retryable())
                        : label.unanswered(message));
    }

    private void note(StoreException failure, @Nullable CallTimer present, StoreCall call, long begun) {
        if (isMisuse(failure)) {
            breaker.abandoned();
        } else if (failure.kind() != StoreException.Kind.FAILED) {
            breaker.unanswered(String.valueOf(failure.getMessage()));
            tell(present, call, begun, false);
        } else {
            breaker.failed(String.valueOf(failure.getMessage()));
            tell(present, call, begun, false);
        }
    }

    /** Whether the caller's arguments were wrong, which says nothing about the store. */
    private static boolean isMisuse(StoreException failure) {
        return failure.getCause() instanceof IllegalArgumentException;
    }

    private static void tell(@Nullable CallTimer timer, StoreCall call, long begun, boolean answered) {
        if (timer != null) {
            timer.took(call, System.nanoTime() - begun, answered);
        }
    }
}

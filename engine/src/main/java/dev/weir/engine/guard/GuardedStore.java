package dev.weir.engine.guard;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.StoreException;
import dev.weir.remote.Promise;
import dev.weir.remote.TimeoutQueue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store with a deadline and a circuit breaker: every call completes in time, if only with a failure. Safe for use by
 * any number of threads.
 *
 * <p>A store has failed if it throws, completes with a failure or does not answer before the deadline. Misuse ({@link
 * IllegalArgumentException}, thrown or as the cause of a failure) is passed on and does not count as a failure of the
 * store. A store that is full for a call, or finds a damaged value, has answered: only this call fails. A store must
 * not block its caller: the deadline cannot end a call that blocks. If an answer arrives after its deadline, what it
 * spent is refunded where the caller wishes.
 */
public final class GuardedStore implements AutoCloseable {
    /*
     * One call, from start to end.
     *
     * 1. The breaker is checked first. If it is open, the call fails at once with a shared exception and the store is not
     * called.
     * 2. The store is called in the caller's thread. If the answer is complete when the call returns, as with memory,
     * the result is recorded and returned as it is: no promise, no timeout.
     * 3. Otherwise the caller gets a promise, and the timeout queue watches it. Two threads may now end the call: the
     * one that completes the store's answer, and the one of the timeout queue. The compare-and-set on `decided` chooses
     * one.
     * 4. The winner first records the result in the breaker and the timer, then completes the promise. So a caller that
     * sees a failure also sees it counted.
     * 5. If the deadline won and the answer then arrives with a value, the late handler undoes it (refund, cancel or
     * release), because the caller was given a failure. A late failure is ignored.
     *
     * The breaker (see CircuitBreaker):
     *
     *   closed ── `tolerance` failures in a row ──► open ── `pause` has passed, one call ──► trial
     *      ▲                                         ▲                                        │
     *      │                                         └──────────── failed ────────────────────┤
     *      └──────────────────────── any call succeeded ──────────────────────────────────────┘
     *
     * Each call that the breaker lets through must record exactly one result: succeeded, failed, unanswered (the store
     * answers, but not this call) or abandoned (misuse). A trial without a result would keep the breaker open for ever.
     */
    private final Store store;
    private final Duration deadline;
    private final StoreLabel label;
    private final CircuitBreaker breaker;
    private final TimeoutQueue timeouts;
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
        this.timeouts = new TimeoutQueue(deadline);
    }

    /** The wrapped store, without deadline and circuit breaker. */
    public Store delegate() {
        return store;
    }

    /** Whether the circuit breaker is open, so that calls fail at once. */
    public boolean isCircuitOpen() {
        return breaker.isOpen();
    }

    /** Sets the timer that is called with the duration of each call from now on; null removes it. */
    public void time(@Nullable CallTimer newTimer) {
        timer = newTimer;
    }

    /**
     * See {@link Store#consume}.
     *
     * @param refundIfLate whether to refund what was spent if the answer arrives after the deadline
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

    /** See {@link Store#reserve}; the reservation is cancelled if the answer arrives after the deadline. */
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

    /** See {@link Store#acquire}; the lease is released if the answer arrives after the deadline. */
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
        timeouts.close();
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
        // The breaker is updated before the promise is completed: a caller that sees a failure finds it counted.
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
            timeouts.watch(promise::isDone, () -> {
                if (decided.compareAndSet(false, true)) {
                    StoreException failure = new StoreException(label.late(deadline), true, null);
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

    /**
     * The same failure with the name of the store in its message, for callers that did not choose the store themselves.
     */
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

    /** Whether the caller's arguments were invalid, which is no failure of the store. */
    private static boolean isMisuse(StoreException failure) {
        return failure.getCause() instanceof IllegalArgumentException;
    }

    private static void tell(@Nullable CallTimer timer, StoreCall call, long begun, boolean answered) {
        if (timer != null) {
            timer.took(call, System.nanoTime() - begun, answered);
        }
    }
}

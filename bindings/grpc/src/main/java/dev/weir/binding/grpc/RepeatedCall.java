package dev.weir.binding.grpc;

import dev.weir.binding.grpc.WeirClientInterceptor.RetrySetup;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client call that starts again when the server refuses it and names a wait.
 *
 * <p>The operations of the application on the call (it has one message) are recorded and repeated on each attempt. They
 * run in {@link EventOrder}, because an attempt starts in another thread. Responses are forwarded in the thread that
 * delivers them.
 */
final class RepeatedCall<Q, A> extends ClientCall<Q, A> {
    private static final Duration LEAST_JITTER = Duration.ofMillis(10);
    /** The jitter is at most a fifth of the wait. */
    private static final int JITTER_SHARE = 5;

    private final RetrySetup setup;
    private final MethodDescriptor<Q, A> method;
    private final CallOptions options;
    private final Channel next;
    private final Context context = Context.current();
    private final Context.CancellationListener whenCancelled =
            cancelled -> cancel("the context was cancelled", cancelled.cancellationCause());
    private final EventOrder operations = new EventOrder();

    // The operations of the application. Accessed in event order only.
    private Metadata headers = new Metadata();
    private @Nullable Q message;
    private boolean isHalfClosed;
    private boolean isCompressed = true;
    private int requested;

    /** Set by the first operation, before any response can arrive. */
    private volatile ClientCall.@Nullable Listener<A> listener;

    // Guarded by this.
    private @Nullable ClientCall<Q, A> current;
    private @Nullable Future<?> waiting;
    private Duration waited = Duration.ZERO;
    private int attempts;
    private boolean isCancelled;
    private boolean isOver;

    RepeatedCall(RetrySetup setup, MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        this.setup = setup;
        this.method = method;
        this.options = options;
        this.next = next;
    }

    @Override
    public void start(Listener<A> newListener, Metadata newHeaders) {
        operations.run(() -> {
            listener = newListener;
            headers = newHeaders;
            context.addListener(whenCancelled, Runnable::run);
            attempt();
        });
    }

    private void attempt() {
        ClientCall<Q, A> attempt;
        synchronized (this) {
            if (isOver) {
                return;
            }
            attempt = next.newCall(method, options);
            current = attempt;
            attempts++;
        }
        // A call may add to its headers, so each attempt gets a copy.
        Metadata copy = new Metadata();
        copy.merge(headers);
        attempt.start(new AttemptListener(), copy);
        attempt.setMessageCompression(isCompressed);
        if (requested > 0) {
            attempt.request(requested);
        }
        if (message != null) {
            attempt.sendMessage(message);
        }
        if (isHalfClosed) {
            attempt.halfClose();
        }
    }

    @Override
    public void request(int count) {
        operate(
                () -> requested = (int) Math.min(Integer.MAX_VALUE, (long) requested + Math.max(0, count)),
                attempt -> attempt.request(count));
    }

    @Override
    public void sendMessage(Q newMessage) {
        operate(() -> message = newMessage, attempt -> attempt.sendMessage(newMessage));
    }

    @Override
    public void halfClose() {
        operate(() -> isHalfClosed = true, ClientCall::halfClose);
    }

    @Override
    public void setMessageCompression(boolean enabled) {
        operate(() -> isCompressed = enabled, attempt -> attempt.setMessageCompression(enabled));
    }

    /** Records an operation for later attempts, and applies it to the current one. */
    private void operate(Runnable remember, Consumer<ClientCall<Q, A>> operation) {
        operations.run(() -> {
            remember.run();
            ClientCall<Q, A> attempt = current();
            if (attempt != null) {
                operation.accept(attempt);
            }
        });
    }

    @Override
    public void cancel(@Nullable String text, @Nullable Throwable cause) {
        operations.run(() -> {
            ClientCall<Q, A> attempt;
            synchronized (this) {
                if (isOver) {
                    return;
                }
                isCancelled = true;
                attempt = current;
                isOver = attempt == null;
                if (waiting != null) {
                    waiting.cancel(false);
                }
            }
            if (attempt != null) {
                attempt.cancel(text, cause);
            } else {
                closeBetweenAttempts(Status.CANCELLED.withDescription(text).withCause(cause));
            }
        });
    }

    @Override
    public boolean isReady() {
        ClientCall<Q, A> attempt = current();
        return attempt != null && attempt.isReady();
    }

    @Override
    public Attributes getAttributes() {
        ClientCall<Q, A> attempt = current();
        return attempt == null ? Attributes.EMPTY : attempt.getAttributes();
    }

    private synchronized @Nullable ClientCall<Q, A> current() {
        return current;
    }

    /** Closes in the executor of the call options: a blocking call waits there, in its own thread. */
    private void closeBetweenAttempts(Status status) {
        context.removeListener(whenCancelled);
        Listener<A> told = listener;
        if (told != null) {
            Executor executor = options.getExecutor() == null ? Runnable::run : options.getExecutor();
            executor.execute(() -> told.onClose(status, new Metadata()));
        }
    }

    /** Whether the call is attempted again instead of closed. */
    private synchronized boolean isTriedAgain(Status status, Metadata trailers, boolean isAnswered) {
        Duration told =
                isAnswered || isCancelled || attempts >= setup.attempts() ? null : RetryAdvice.of(status, trailers);
        Duration wait = told == null ? null : told.plus(jitter(told));
        if (wait == null || waited.plus(wait).compareTo(setup.longestWait()) > 0 || isPastDeadline(wait)) {
            isOver = true;
            return false;
        }
        waited = waited.plus(wait);
        current = null;
        waiting = setup.timer().after(wait, () -> context.run(() -> operations.run(this::attempt)));
        return true;
    }

    private Duration jitter(Duration told) {
        Duration most = told.dividedBy(JITTER_SHARE).plus(LEAST_JITTER);
        return Duration.ofNanos((long) (most.toNanos() * setup.random().getAsDouble()));
    }

    private boolean isPastDeadline(Duration wait) {
        return isPast(options.getDeadline(), wait) || isPast(context.getDeadline(), wait);
    }

    private static boolean isPast(@Nullable Deadline deadline, Duration wait) {
        return deadline != null && deadline.timeRemaining(TimeUnit.NANOSECONDS) <= wait.toNanos();
    }

    /** The listener of one attempt. */
    private final class AttemptListener extends SimpleForwardingClientCallListener<A> {
        private boolean isAnswered;

        AttemptListener() {
            super(Objects.requireNonNull(listener));
        }

        @Override
        public void onHeaders(Metadata answer) {
            isAnswered = true;
            super.onHeaders(answer);
        }

        @Override
        public void onMessage(A answer) {
            isAnswered = true;
            super.onMessage(answer);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (status.isOk() || !isTriedAgain(status, trailers, isAnswered)) {
                context.removeListener(whenCancelled);
                super.onClose(status, trailers);
            }
        }
    }
}

package dev.weir.binding.grpc;

import dev.weir.Answer;
import dev.weir.engine.Outcome;
import dev.weir.engine.Reason;
import dev.weir.engine.Request;
import dev.weir.engine.connection.ConnectionSlot;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call and its decisions. The call is admitted or refused as a whole; then, if its stream messages are limited,
 * each message is decided. All events run in {@link EventOrder}.
 *
 * <p>While a decision is in flight, nothing is requested from the transport. So at most one message of a call is
 * buffered, and none before the call is admitted, whatever the client sends.
 */
final class LimitedCall<Q, A> extends ServerCall.Listener<Q> {
    private static final Logger LOG = System.getLogger(LimitedCall.class.getName());

    private final CallSetup setup;
    private final Metadata headers;
    private final ServerCallHandler<Q, A> next;
    private final Request request;
    private final boolean limitsMessages;
    private final GatedCall<Q, A> call;
    private final Context context = Context.current();
    private final EventOrder events = new EventOrder();

    private @Nullable ConnectionSlot slot;
    /** The handler; null until the call is admitted. */
    private ServerCall.@Nullable Listener<Q> handler;
    /** The message that is being decided; null if none is. */
    private @Nullable Q inHand;

    private Duration waited = Duration.ZERO;
    private @Nullable Future<?> waiting;
    /** Events that arrived before the handler existed. */
    private boolean isReady;

    private boolean isHalfClosed;
    private boolean isOver;

    LimitedCall(
            CallSetup setup, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next, Request request) {
        MethodType type = call.getMethodDescriptor().getType();
        this.setup = setup;
        this.headers = headers;
        this.next = next;
        this.request = request;
        this.limitsMessages = setup.messages() != StreamMessages.UNLIMITED && !type.clientSendsOneMessage();
        this.call = new GatedCall<>(call, limitsMessages);
    }

    /** Starts the call. */
    ServerCall.Listener<Q> begin() {
        Answer<Admission> answer = Admission.ask(setup, request, call.getMethodDescriptor());
        if (answer.isDone()) {
            events.run(() -> decided(answer.now()));
            if (handler != null && slot == null && !limitsMessages) {
                // The call is decided, so the handler can get all events directly.
                return handler;
            }
        } else {
            answer.whenDone((admission, failure) -> later(() -> decided(Objects.requireNonNull(admission))));
        }
        return this;
    }

    private void decided(Admission admission) {
        ConnectionSlot held = admission.slot();
        Outcome outcome = admission.outcome();
        if (isOver) {
            // The client has cancelled meanwhile. The charge stands, or cancelling would bypass the limits.
            release(held);
        } else if (outcome.allowed()) {
            slot = held;
            start(outcome);
        } else {
            isOver = true;
            call.end(Refusals.status(outcome), Refusals.trailers(outcome));
        }
    }

    private void start(Outcome outcome) {
        call.tell(outcome);
        ServerCall.Listener<Q> begun;
        try {
            Context inside = context.withValue(WeirServerInterceptor.OUTCOME, outcome);
            begun = Contexts.interceptCall(inside, call, headers, next);
        } catch (RuntimeException | Error e) {
            release(slot);
            throw e;
        }
        handler = begun;
        if (slot != null) {
            slot.whenLost(() -> later(this::slotLost));
        }
        call.open();
        if (isReady) {
            begun.onReady();
        }
        if (isHalfClosed && inHand == null) {
            begun.onHalfClose();
        }
    }

    @Override
    public void onMessage(Q message) {
        events.run(() -> {
            if (limitsMessages && !isOver) {
                inHand = message;
                waited = Duration.ZERO;
                ask();
            } else if (handler != null && !isOver) {
                handler.onMessage(message);
            }
        });
    }

    /** Checks the current message. */
    private void ask() {
        if (isOver || inHand == null) {
            return;
        }
        Answer<Outcome> answer = setup.weir().checkAsync(AttributeReader.ofMessage(request));
        if (answer.isDone()) {
            judged(answer.now());
        } else {
            answer.whenDone((outcome, failure) -> later(() -> judged(Objects.requireNonNull(outcome))));
        }
    }

    private void judged(Outcome outcome) {
        Q message = inHand;
        if (isOver || message == null || handler == null) {
            return;
        }
        call.tell(outcome);
        Duration wait = outcome.retryAfter();
        if (outcome.allowed()) {
            inHand = null;
            handler.onMessage(message);
            call.messageSeen();
            if (isHalfClosed) {
                handler.onHalfClose();
            }
        } else if (wait != null && maySoonBeAdmitted(outcome, waited.plus(wait))) {
            waited = waited.plus(wait);
            waiting = setup.timer().after(wait, () -> later(this::ask));
        } else {
            endByLimits(Refusals.status(outcome), Refusals.trailers(outcome));
        }
    }

    private boolean maySoonBeAdmitted(Outcome outcome, Duration wait) {
        return setup.messages() == StreamMessages.DELAY
                && outcome.reason() != Reason.UNAVAILABLE
                && wait.compareTo(setup.longestDelay()) <= 0;
    }

    private void slotLost() {
        if (!isOver) {
            endByLimits(
                    Status.RESOURCE_EXHAUSTED.withDescription("The slot of this call could not be held"),
                    new Metadata());
        }
    }

    /** Ends the call. The handler gets the same event as when the client cancels. */
    private void endByLimits(Status status, Metadata trailers) {
        inHand = null;
        if (call.end(status, trailers)) {
            over();
            if (handler != null) {
                handler.onCancel();
            }
        }
    }

    @Override
    public void onHalfClose() {
        events.run(() -> {
            isHalfClosed = true;
            if (handler != null && inHand == null && !isOver) {
                handler.onHalfClose();
            }
        });
    }

    @Override
    public void onReady() {
        events.run(() -> {
            isReady = true;
            if (handler != null && !isOver) {
                handler.onReady();
            }
        });
    }

    @Override
    public void onCancel() {
        ended(ServerCall.Listener::onCancel);
    }

    @Override
    public void onComplete() {
        ended(ServerCall.Listener::onComplete);
    }

    private void ended(Consumer<ServerCall.Listener<Q>> tell) {
        events.run(() -> {
            if (!isOver) {
                over();
                if (handler != null) {
                    tell.accept(handler);
                }
            }
        });
    }

    private void over() {
        isOver = true;
        inHand = null;
        if (waiting != null) {
            waiting.cancel(false);
        }
        release(slot);
    }

    private static void release(@Nullable ConnectionSlot held) {
        if (held != null) {
            held.release();
        }
    }

    /** Continues in a thread that may run handlers; a thread of the store may not. */
    private void later(Runnable event) {
        try {
            setup.executor().execute(context.wrap(() -> {
                try {
                    events.run(event);
                } catch (RuntimeException | Error e) {
                    LOG.log(Level.WARNING, "the handler of a call failed", e);
                    call.end(Status.UNKNOWN.withDescription("Application error processing RPC"), new Metadata());
                }
            }));
        } catch (RejectedExecutionException e) {
            call.end(Status.UNAVAILABLE.withDescription("The server is shutting down"), new Metadata());
        }
    }
}

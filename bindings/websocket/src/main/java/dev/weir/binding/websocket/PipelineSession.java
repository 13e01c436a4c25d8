package dev.weir.binding.websocket;

import dev.weir.Answer;
import dev.weir.binding.websocket.LimitExceeded.Kind;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Warning;
import dev.weir.engine.http.HttpDecision;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one connection. A framework calls either {@link #receive}, which never blocks, or {@link
 * #receiveAndWait}, which may block the calling thread, but never both. It calls {@link #closed} at the end.
 */
public final class PipelineSession {
    /*
     * The invariant: at most one message of a connection is between "taken from the queue" and "handler called". This
     * keeps messages in order, without a thread per connection.
     *
     * States of a non-blocking session, guarded by "lock":
     * - idle: isBusy is false and the queue is empty.
     * - busy: isBusy is true. One message is being parsed, checked or handed to its handler; the others wait in the
     *   queue.
     * - paused: busy, and the queue reached mostWaiting. The connection is not read until half of the queue is drained.
     *   Frames that were in flight may still arrive; beyond four times mostWaiting the connection is closed with 1013.
     * - closed: final. The queue is empty and new messages are ignored. Either side can close.
     *
     * Each caller of receive() appends its message and then tries to drain. The thread that sets isBusy owns the next
     * message; other threads return. If the answer of the store is complete, the owner continues in its loop. Otherwise
     * it returns, and the callback concludes the message where the connection handles messages, clears isBusy and
     * drains again. No message is lost: a message is appended before the check of isBusy, and isBusy is cleared before
     * the next look at the queue, all under the same lock. Only the adapter's pause and resume run under the lock;
     * handlers and store calls never do.
     *
     * A blocking session uses "turn" instead: the thread holds it from the parse to the return of the handler. closed()
     * takes only "lock", so closing never waits for a handler.
     *
     * inFlight counts messages from the call of the handler until its stage completes. It is atomic because stages
     * complete in any thread. The check before the increment is no race, as only the owner increments.
     */

    private static final Logger LOG = System.getLogger(PipelineSession.class.getName());
    private static final Duration DECISION_TIMEOUT = Duration.ofMinutes(5);

    private final MessagePipeline pipeline;
    private final MessagePipeline.PipelineOptions options;
    private final Connection connection;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicBoolean isForgotten = new AtomicBoolean();
    /** Held by the thread whose message is being processed, if threads may block. */
    private final ReentrantLock turn = new ReentrantLock();

    /** Guards the following fields. */
    private final Object lock = new Object();

    private final ArrayDeque<ReceivedMessage> waiting = new ArrayDeque<>();
    private boolean isBusy;
    private boolean isPaused;
    private volatile boolean isClosed;

    PipelineSession(MessagePipeline pipeline, Connection connection) {
        this.pipeline = pipeline;
        this.options = pipeline.options;
        this.connection = connection;
    }

    private record ReceivedMessage(String text, Instant receivedAt) {}

    /** A message whose limits are being checked. */
    private record CheckedMessage(Message message, Answer<Outcome> answer) {}

    /** Accepts a message and returns at once. While the message waits, later ones wait behind it. */
    public void receive(String text) {
        boolean isOver;
        synchronized (lock) {
            if (isClosed) {
                return;
            }
            // A paused client should not send. A few messages are accepted, as they may have been in flight.
            isOver = waiting.size() >= 4 * options.mostWaiting();
            if (!isOver) {
                waiting.add(new ReceivedMessage(text, options.clock().instant()));
                if (isBusy && waiting.size() >= options.mostWaiting() && !isPaused) {
                    isPaused = true;
                    connection.pause();
                }
            }
        }
        if (isOver) {
            long most = 4L * options.mostWaiting();
            tell(exceeding(Kind.QUEUE, most + 1, most, null));
            end(1013, "too many messages wait");
        } else {
            drain();
        }
    }

    /** Accepts a message and returns when its handler has been called, or the message was refused. */
    public void receiveAndWait(String text) {
        // Not under the other lock: closing the connection does not wait for a handler. No monitor either, as it would
        // pin a virtual thread while the store decides.
        turn.lock();
        try {
            if (isClosed) {
                return;
            }
            CheckedMessage asked = ask(new ReceivedMessage(text, options.clock().instant()));
            if (asked != null) {
                conclude(asked.message, asked.answer.await(DECISION_TIMEOUT));
            }
        } finally {
            turn.unlock();
        }
    }

    /** Handles a binary message, which counts as malformed. */
    public void receiveBinary() {
        if (!isClosed) {
            malformed("a message must be text");
        }
    }

    /** Ends the session when the connection is closed, for whatever reason. Waiting messages are dropped. */
    public void closed() {
        synchronized (lock) {
            isClosed = true;
            waiting.clear();
        }
        if (!isForgotten.compareAndSet(false, true)) {
            return;
        }
        if (pipeline.malformed != null) {
            pipeline.malformed.reset(connection.id());
        }
        try {
            pipeline.handler.closed(connection);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "the end of a connection could not be handled", e);
        }
    }

    public Connection connection() {
        return connection;
    }

    /** The number of messages in flight. */
    public int inFlight() {
        return inFlight.get();
    }

    /** Processes waiting messages one after the other, while decisions complete at once. */
    private void drain() {
        while (true) {
            ReceivedMessage next;
            synchronized (lock) {
                if (isBusy || isClosed || waiting.isEmpty()) {
                    return;
                }
                isBusy = true;
                next = waiting.remove();
                if (isPaused && waiting.size() <= options.mostWaiting() / 2) {
                    isPaused = false;
                    connection.resume();
                }
            }
            CheckedMessage asked = ask(next);
            if (asked == null) {
                free();
            } else if (asked.answer.isDone()) {
                conclude(asked.message, asked.answer.now());
                free();
            } else {
                asked.answer.whenDone((outcome, failure) -> connection.execute(() -> {
                    if (outcome != null) {
                        conclude(asked.message, outcome);
                    }
                    free();
                    drain();
                }));
                return;
            }
        }
    }

    private void free() {
        synchronized (lock) {
            isBusy = false;
        }
    }

    /** Runs the stages size, minimal parse and rate. Returns null if one of them refused the message. */
    private @Nullable CheckedMessage ask(ReceivedMessage arrival) {
        try {
            int bytes = Utf8Length.length(arrival.text, options.mostBytes());
            if (bytes > options.mostBytes()) {
                String detail = "A message may have " + options.mostBytes() + " bytes";
                exceeded(
                        exceeding(Kind.PAYLOAD, bytes, options.mostBytes(), null),
                        () -> error(null, Frames.Code.FAILED_PRECONDITION, detail));
                return null;
            }
            @Nullable String[] found = pipeline.fields.read(arrival.text);
            String type = found[0];
            String id = found[1];
            if (type == null || type.isEmpty() || type.length() > options.longestType()) {
                malformed("a message needs a type of 1 to " + options.longestType() + " characters");
                return null;
            }
            Ingress ingress =
                    new Ingress(type, connection.id(), connection.ip(), connection.attributes(), arrival.receivedAt);
            String answered = id == null || id.length() > options.longestType() ? null : id;
            return asked(new Message(ingress, answered, arrival.text));
        } catch (IOException e) {
            malformed("a message must be a JSON object");
            return null;
        } catch (RuntimeException e) {
            failed(null, e);
            return null;
        }
    }

    private @Nullable CheckedMessage asked(Message message) {
        try {
            Request request = Request.of(pipeline.attributes.apply(message.ingress()));
            return new CheckedMessage(message, pipeline.weir.checkAsync(request));
        } catch (IllegalArgumentException e) {
            connection.send(error(message.id(), Frames.Code.INVALID_ARGUMENT, String.valueOf(e.getMessage())));
            return null;
        }
    }

    /** Never throws, so that the next message is processed whatever happens to this one. */
    private void conclude(Message message, Outcome outcome) {
        try {
            decided(message, outcome);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "a message could not be answered", e);
        }
    }

    /** Runs the stages in-flight quota, validation and handler. */
    private void decided(Message message, Outcome outcome) {
        if (isClosed) {
            return;
        }
        if (!outcome.allowed()) {
            exceeded(rate(message, outcome), () -> options.frames().refused(message.id(), outcome));
            return;
        }
        for (Warning warning : outcome.warnings()) {
            String frame = options.frames().warning(outcome, warning);
            if (frame != null) {
                connection.send(frame);
            }
        }
        int before = inFlight.get();
        if (before >= options.mostInFlight()) {
            exceeded(
                    exceeding(Kind.IN_FLIGHT, before + 1L, options.mostInFlight(), message.type()),
                    () -> error(message.id(), Frames.Code.RESOURCE_EXHAUSTED, "Too many messages are being handled"));
            return;
        }
        try {
            MessageValidator validator = options.validator();
            String fault = validator == null ? null : validator.faultOf(message);
            if (fault != null) {
                connection.send(error(message.id(), Frames.Code.INVALID_ARGUMENT, fault));
                return;
            }
        } catch (RuntimeException e) {
            failed(message.id(), e);
            return;
        }
        handle(message);
    }

    private void handle(Message message) {
        inFlight.incrementAndGet();
        CompletionStage<?> done;
        try {
            done = pipeline.handler.handle(message, connection);
        } catch (Exception e) {
            inFlight.decrementAndGet();
            failed(message.id(), e);
            return;
        }
        if (done == null) {
            inFlight.decrementAndGet();
            return;
        }
        var unused = done.whenComplete((result, failure) -> {
            inFlight.decrementAndGet();
            if (failure != null) {
                failed(message.id(), failure);
            }
        });
    }

    private LimitExceeded rate(Message message, Outcome outcome) {
        LimitResult decisive = outcome.decisive();
        Duration wait = outcome.retryAfter();
        return new LimitExceeded(
                Kind.RATE,
                decisive == null ? 1 : decisive.cost(),
                decisive == null ? 0 : decisive.capacity(),
                wait == null ? null : Math.max(1, HttpDecision.millis(wait)),
                connection.id(),
                message.type());
    }

    private LimitExceeded exceeding(Kind kind, long observed, long limit, @Nullable String type) {
        return new LimitExceeded(kind, observed, limit, null, connection.id(), type);
    }

    private String error(@Nullable String id, Frames.Code code, String detail) {
        return options.frames().error(id, code, detail, null);
    }

    private void exceeded(LimitExceeded exceeded, Supplier<String> frame) {
        tell(exceeded);
        if (options.exceeding() instanceof Exceeding.Send) {
            connection.send(frame.get());
        } else if (options.exceeding() instanceof Exceeding.Close close) {
            end(close.code(), exceeded.type() + " limit exceeded");
        } else if (options.exceeding() instanceof Exceeding.Custom custom) {
            try {
                custom.action().accept(exceeded, connection);
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "the action for an exceeded limit failed", e);
            }
        }
    }

    /**
     * Counts malformed messages apart from limits: rate refusals do not close a connection, many malformed messages do.
     */
    private void malformed(String detail) {
        connection.send(error(null, Frames.Code.INVALID_ARGUMENT, detail));
        if (pipeline.malformed != null && !pipeline.malformed.tryConsume(connection.id())) {
            tell(exceeding(Kind.MALFORMED, 1, 0, null));
            end(1008, "too many malformed messages");
        }
    }

    private void failed(@Nullable String id, Throwable failure) {
        LOG.log(Level.ERROR, "a message could not be handled", failure);
        connection.send(error(id, Frames.Code.INTERNAL, "Internal error"));
    }

    private void tell(LimitExceeded exceeded) {
        if (pipeline.hook != null) {
            pipeline.hook.tell(exceeded);
        }
    }

    /** Closes the connection from this side. Messages that the client still sends are ignored. */
    private void end(int code, String reason) {
        synchronized (lock) {
            isClosed = true;
            waiting.clear();
        }
        connection.close(code, reason);
    }
}

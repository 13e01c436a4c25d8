package dev.weir.binding.grpc;

import dev.weir.engine.Outcome;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * A call as its handler sees it. It tells the client how the limits stand, asks the transport for messages only when they
 * may come, and can be ended by the limits while the handler is busy; what the handler sends after that is dropped.
 *
 * <p>gRPC's own call is for one thread at a time; this one sees to that, because a refusal may come from another.
 */
final class GatedCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final boolean oneByOne;

    // All guarded by this.
    private boolean isOpen;
    private int wanted;
    /** Whether a message was asked for that the handler has not seen yet. */
    private boolean isUnderWay;

    private boolean hasSentHeaders;
    private boolean isEnded;
    private boolean isEndedByLimits;
    private @Nullable Outcome latest;

    /** @param oneByOne whether the next message is asked for only when the one before was let through */
    GatedCall(ServerCall<Q, A> call, boolean oneByOne) {
        super(call);
        this.oneByOne = oneByOne;
    }

    /** What the limits said last, for the client. */
    synchronized void tell(Outcome outcome) {
        latest = outcome;
    }

    /** From now on messages may come. */
    void open() {
        ask(() -> isOpen = true);
    }

    /** The message that was asked for has been seen by the handler. */
    void messageSeen() {
        ask(() -> isUnderWay = false);
    }

    @Override
    public void request(int count) {
        ask(() -> wanted = (int) Math.min(Integer.MAX_VALUE, (long) wanted + Math.max(0, count)));
    }

    /** How many messages to ask the transport for; they count as asked for. */
    private int due() {
        if (!isOpen || isEnded || (oneByOne && isUnderWay)) {
            return 0;
        }
        int due = oneByOne ? Math.min(1, wanted) : wanted;
        wanted -= due;
        isUnderWay = due > 0;
        return due;
    }

    /** Changes something under the lock, and asks outside of it: the transport may bring the message at once. */
    private void ask(Runnable change) {
        int due;
        synchronized (this) {
            change.run();
            due = due();
        }
        if (due > 0) {
            delegate().request(due);
        }
    }

    @Override
    public synchronized void sendHeaders(Metadata headers) {
        if (!isEndedByLimits) {
            hasSentHeaders = true;
            addLimits(headers);
            delegate().sendHeaders(headers);
        }
    }

    @Override
    public synchronized void sendMessage(A message) {
        if (!isEndedByLimits) {
            delegate().sendMessage(message);
        }
    }

    @Override
    public synchronized void close(Status status, Metadata trailers) {
        if (!isEndedByLimits) {
            isEnded = true;
            if (!hasSentHeaders || oneByOne) {
                addLimits(trailers);
            }
            delegate().close(status, trailers);
        }
    }

    /** Ends the call by itself; false if it has ended already. */
    synchronized boolean end(Status status, Metadata trailers) {
        if (isEnded) {
            return false;
        }
        isEnded = true;
        isEndedByLimits = true;
        delegate().close(status, trailers);
        return true;
    }

    private void addLimits(Metadata metadata) {
        if (latest != null) {
            Refusals.addHeaders(latest, metadata);
        }
    }

    @Override
    public boolean isCancelled() {
        synchronized (this) {
            if (isEndedByLimits) {
                return true;
            }
        }
        return super.isCancelled();
    }
}

package dev.weir.binding.grpc;

import dev.weir.engine.Outcome;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * A call as its handler sees it. It sends the state of the limits to the client, requests messages from the transport
 * only when they may arrive, and can be ended by the limits while the handler runs. Messages that the handler sends
 * after that are dropped.
 *
 * <p>Thread-safe, unlike gRPC's own call, because a refusal may come from another thread.
 */
final class GatedCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final boolean oneByOne;

    // All guarded by this.
    private boolean isOpen;
    private int wanted;
    /** Whether a message was requested that the handler has not yet seen. */
    private boolean isUnderWay;

    private boolean hasSentHeaders;
    private boolean isEnded;
    private boolean isEndedByLimits;
    private @Nullable Outcome latest;

    /** @param oneByOne whether the next message is requested only after the previous one was admitted */
    GatedCall(ServerCall<Q, A> call, boolean oneByOne) {
        super(call);
        this.oneByOne = oneByOne;
    }

    /** Sets the latest outcome, for the headers or trailers. */
    synchronized void tell(Outcome outcome) {
        latest = outcome;
    }

    /** Allows messages from now on. */
    void open() {
        ask(() -> isOpen = true);
    }

    /** Records that the handler has seen the requested message. */
    void messageSeen() {
        ask(() -> isUnderWay = false);
    }

    @Override
    public void request(int count) {
        ask(() -> wanted = (int) Math.min(Integer.MAX_VALUE, (long) wanted + Math.max(0, count)));
    }

    /** Returns how many messages to request from the transport, and counts them as requested. */
    private int due() {
        if (!isOpen || isEnded || (oneByOne && isUnderWay)) {
            return 0;
        }
        int due = oneByOne ? Math.min(1, wanted) : wanted;
        wanted -= due;
        isUnderWay = due > 0;
        return due;
    }

    /** Applies a change under the lock and requests messages outside of it, as the transport may deliver at once. */
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

    /** Ends the call. Returns false if it has ended already. */
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

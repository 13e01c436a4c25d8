package dev.weir.server.rls;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes of a call's message that is not complete yet towards the memory of its connection.
 *
 * <p>Flow control does not bound them: gRPC allows the client to send more as soon as it has added bytes to the partial
 * message. Without this count, the calls of one connection could hold {@link RateLimitServer#MAX_CALLS} messages of
 * nearly {@link RateLimitServer#MAX_MESSAGE} bytes. Used on the event loop of its connection.
 */
final class PartialMessage extends ServerStreamTracer {
    static final Factory FACTORY = new Factory() {
        @Override
        public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
            return new PartialMessage();
        }
    };

    private static final Context.Key<PartialMessage> KEY = Context.key("weir-partial-message");

    /** Smaller messages, which nearly all are, are part of {@link CallBounds#CALL_COST}. */
    private static final int FREE_BYTES = 2048;
    /** Estimated heap cost of a piece without its bytes: a client may send a message byte by byte. */
    private static final int PIECE_COST = 256;

    private @Nullable GrpcConnection connection;
    private @Nullable Runnable refusal;
    private long cost;
    private long heldBytes;

    private PartialMessage() {}

    /** Sets what ends the present call if its messages exceed a bound. Called when the call starts. */
    static void whenTooLarge(GrpcConnection connection, Runnable refusal) {
        PartialMessage message = KEY.get();
        if (message != null) {
            message.connection = connection;
            message.refusal = refusal;
        }
    }

    @Override
    public Context filterContext(Context context) {
        return context.withValue(KEY, this);
    }

    @Override
    public void inboundWireSize(long bytes) {
        cost += bytes + PIECE_COST;
        if (connection == null || refusal == null || cost <= FREE_BYTES) {
            return;
        }
        if (connection.tryHold(cost - heldBytes)) {
            heldBytes = cost;
        } else {
            Runnable ending = refusal;
            refusal = null;
            ending.run();
        }
    }

    @Override
    public void inboundMessageRead(int sequence, long wireSize, long size) {
        release();
    }

    @Override
    public void streamClosed(Status status) {
        release();
    }

    private void release() {
        if (connection != null && heldBytes > 0) {
            connection.release(heldBytes);
        }
        heldBytes = 0;
        cost = 0;
    }
}

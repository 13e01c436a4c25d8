package dev.weir.server.rls;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;

/** Counts the open calls of health and reflection towards the memory of their connection. */
final class CallBounds implements ServerInterceptor {
    /** Estimated heap cost of a call without its message, in bytes. */
    static final int CALL_COST = 1024;

    static final Status BUSY =
            Status.RESOURCE_EXHAUSTED.withDescription("too many calls are in flight; try again later");

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        GrpcConnection connection = call.getAttributes().get(GrpcConnection.KEY);
        if (connection == null || !connection.tryHold(CALL_COST)) {
            call.close(BUSY, new Metadata());
            return new ServerCall.Listener<>() {};
        }
        // The service may close the call itself, and a second close fails; its messages have some bytes only.
        PartialMessage.whenTooLarge(connection, connection::close);
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            @Override
            public void onCancel() {
                connection.release(CALL_COST);
                super.onCancel();
            }

            @Override
            public void onComplete() {
                connection.release(CALL_COST);
                super.onComplete();
            }
        };
    }
}

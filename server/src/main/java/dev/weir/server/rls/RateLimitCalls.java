package dev.weir.server.rls;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.server.envoy.RateLimitDecisions;
import dev.weir.server.envoy.RateLimitQuery;
import dev.weir.server.envoy.RateLimitReply;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.ServerState;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Handles {@code ShouldRateLimit}. A call runs on the event loop of its connection: a decision in memory is made there,
 * and one of a remote store is awaited without blocking it.
 *
 * <p>Every refusal precedes the decision, so that a refused call spends nothing. The exception is a client that cancels
 * a call in flight: the decision stands, as if the response had been lost on its way.
 */
final class RateLimitCalls implements ServerCallHandler<DecodedRequest, RateLimitReply> {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** Estimated heap cost of an entry without its text, in bytes. */
    private static final int ENTRY_COST = 128;

    private static final Status UNREACHABLE =
            Status.UNAVAILABLE.withDescription("Rate limiter temporarily unavailable");

    private final ServerState node;
    private final RateLimitDecisions decisions;

    RateLimitCalls(ServerState node, RateLimitDecisions decisions) {
        this.node = node;
        this.decisions = decisions;
    }

    @Override
    public ServerCall.Listener<DecodedRequest> startCall(
            ServerCall<DecodedRequest, RateLimitReply> call, Metadata headers) {
        GrpcConnection connection = call.getAttributes().get(GrpcConnection.KEY);
        Status refusal = connection == null ? CallBounds.BUSY : refusal(connection, call, headers);
        if (connection == null || refusal != null) {
            call.close(refusal == null ? CallBounds.BUSY : refusal, new Metadata());
            return new ServerCall.Listener<>() {};
        }
        Call listener = new Call(connection, call);
        PartialMessage.whenTooLarge(connection, () -> listener.end(CallBounds.BUSY));
        // One more than the only message, so that a second one is noticed.
        call.request(2);
        return listener;
    }

    /** Returns why the call may not begin; null if it may, and then its memory is reserved. */
    private @Nullable Status refusal(GrpcConnection connection, ServerCall<?, ?> call, Metadata headers) {
        String authorization = headers.get(AUTHORIZATION);
        if (!connection.access().mayDecide(authorization)) {
            return unauthorized(call, authorization);
        }
        return connection.tryHold(CallBounds.CALL_COST) ? null : CallBounds.BUSY;
    }

    private Status unauthorized(ServerCall<?, ?> call, @Nullable String authorization) {
        ProblemException problem = node.access.whyNoDecision(authorization, client(call));
        Status status = switch (problem.status()) {
            case 403 -> Status.PERMISSION_DENIED;
            case 429 -> Status.RESOURCE_EXHAUSTED;
            default -> Status.UNAUTHENTICATED;
        };
        return status.withDescription(problem.detail());
    }

    private static String client(ServerCall<?, ?> call) {
        return call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : "";
    }

    /** One call. Its callbacks run on the event loop; only the decision of a remote store arrives in another thread. */
    private final class Call extends ServerCall.Listener<DecodedRequest> {
        private final GrpcConnection connection;
        private final ServerCall<DecodedRequest, RateLimitReply> call;
        /** The store's thread and the event loop may both want to end the call; the first one does. */
        private final AtomicBoolean hasEnded = new AtomicBoolean();

        private long heldBytes = CallBounds.CALL_COST;
        private @Nullable RateLimitQuery query;

        private Call(GrpcConnection connection, ServerCall<DecodedRequest, RateLimitReply> call) {
            this.connection = connection;
            this.call = call;
            connection.awaitMessage(this);
        }

        @Override
        public void onMessage(DecodedRequest request) {
            connection.messageEnds(this);
            if (query != null) {
                query = null;
                end(Status.INVALID_ARGUMENT.withDescription("the call has two messages; it must have one"));
                return;
            }
            query = request.query();
            Status refusal = request.refusal();
            if (refusal != null) {
                decisions.countInvalid();
                end(refusal);
            } else if (query != null && !hold(cost(query))) {
                end(CallBounds.BUSY);
            }
        }

        @Override
        public void onHalfClose() {
            if (hasEnded.get()) {
                return;
            }
            if (query == null) {
                end(Status.INVALID_ARGUMENT.withDescription("the call has no message; it must have one"));
                return;
            }
            try {
                decide(query);
            } catch (StoreException e) {
                end(UNREACHABLE);
            } catch (RuntimeException e) {
                end(internal(e));
            }
        }

        private void decide(RateLimitQuery wanted) {
            Answer<RateLimitReply> answer = decisions.decide(wanted);
            if (answer.isDone()) {
                respond(answer.now());
            } else {
                answer.whenDone((reply, failure) -> {
                    if (reply != null) {
                        respond(reply);
                    } else {
                        end(failed(failure));
                    }
                });
            }
        }

        private void respond(RateLimitReply reply) {
            if (hasEnded.compareAndSet(false, true)) {
                call.sendHeaders(new Metadata());
                call.sendMessage(reply);
                call.close(Status.OK, new Metadata());
            }
        }

        private void end(Status status) {
            if (hasEnded.compareAndSet(false, true)) {
                call.close(status, new Metadata());
            }
        }

        @Override
        public void onCancel() {
            hasEnded.set(true);
            release();
        }

        @Override
        public void onComplete() {
            release();
        }

        private boolean hold(long bytes) {
            boolean isHeld = connection.tryHold(bytes);
            heldBytes += isHeld ? bytes : 0;
            return isHeld;
        }

        /** The call is over, which gRPC reports once. */
        private void release() {
            connection.messageEnds(this);
            connection.release(heldBytes);
            heldBytes = 0;
        }
    }

    /** Misuse that only the store detects is a failure with that cause. */
    private static Status failed(@Nullable StoreException failure) {
        return failure != null && failure.getCause() instanceof IllegalArgumentException misuse
                ? internal(misuse)
                : UNREACHABLE;
    }

    private static Status internal(RuntimeException e) {
        ProblemException problem = ProblemException.caused(e);
        return problem.status() < 500
                ? Status.INVALID_ARGUMENT.withDescription(problem.detail())
                : Status.INTERNAL.withDescription(problem.detail());
    }

    private static long cost(RateLimitQuery query) {
        long bytes = 0;
        for (RateLimitQuery.Descriptor descriptor : query.descriptors()) {
            bytes += ENTRY_COST;
            for (RateLimitQuery.Entry entry : descriptor.entries()) {
                bytes += ENTRY_COST + entry.key().length() + entry.value().length();
            }
        }
        return bytes;
    }
}

package dev.weir.binding.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.UnknownFieldSet;
import com.google.rpc.Code;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import dev.weir.engine.Reason;
import dev.weir.engine.http.HttpDecision;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.util.Locale;

/**
 * Formats a decision for gRPC clients. The headers are those of HTTP, in lower case. A refusal carries its wait twice:
 * as {@code google.rpc.RetryInfo}, and as {@code grpc-retry-pushback-ms}, which gRPC's own retries use.
 */
final class Refusals {
    /** The trailer of gRPC that says when to retry, in milliseconds; a negative value means never. */
    static final Metadata.Key<String> PUSHBACK =
            Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

    private static final String NEVER = "-1";
    /** Field numbers of {@code google.rpc.QuotaFailure.Violation}. */
    private static final int QUOTA_ID = 5;

    private static final int QUOTA_VALUE = 7;

    private Refusals() {}

    /**
     * Returns the status of a refused call: exhausted; or unavailable if the store failed and the limit fails secure.
     */
    static Status status(Outcome outcome) {
        Status status = outcome.reason() == Reason.UNAVAILABLE ? Status.UNAVAILABLE : Status.RESOURCE_EXHAUSTED;
        return status.withDescription(HttpDecision.message(outcome));
    }

    /** Returns the trailers of a refused call. */
    static Metadata trailers(Outcome outcome) {
        Metadata trailers =
                StatusProto.toStatusRuntimeException(details(outcome)).getTrailers();
        if (trailers == null) {
            throw new AssertionError("a status with details has trailers");
        }
        java.time.Duration wait = outcome.retryAfter();
        trailers.put(PUSHBACK, wait == null ? NEVER : Long.toString(pushback(wait)));
        addHeaders(outcome, trailers);
        return trailers;
    }

    /** Adds the state of the limits to headers or trailers. */
    static void addHeaders(Outcome outcome, Metadata headers) {
        HttpDecision.headers(
                outcome,
                System.currentTimeMillis(),
                (name, value) -> headers.put(
                        Metadata.Key.of(name.toLowerCase(Locale.ROOT), Metadata.ASCII_STRING_MARSHALLER), value));
    }

    private static com.google.rpc.Status details(Outcome outcome) {
        Status status = status(outcome);
        com.google.rpc.Status.Builder details = com.google.rpc.Status.newBuilder()
                .setCode(
                        outcome.reason() == Reason.UNAVAILABLE ? Code.UNAVAILABLE_VALUE : Code.RESOURCE_EXHAUSTED_VALUE)
                .setMessage(String.valueOf(status.getDescription()));
        java.time.Duration wait = outcome.retryAfter();
        if (wait != null) {
            details.addDetails(Any.pack(RetryInfo.newBuilder()
                    .setRetryDelay(
                            Duration.newBuilder().setSeconds(wait.getSeconds()).setNanos(wait.getNano()))
                    .build()));
        }
        QuotaFailure failure = quotaFailure(outcome);
        if (failure.getViolationsCount() > 0) {
            details.addDetails(Any.pack(failure));
        }
        return details.build();
    }

    /** Returns the limits that refused. It contains only the kind of subject: keys never leave the server. */
    private static QuotaFailure quotaFailure(Outcome outcome) {
        QuotaFailure.Builder failure = QuotaFailure.newBuilder();
        if (outcome.reason() != Reason.UNAVAILABLE) {
            for (LimitResult limit : outcome.limits()) {
                if (!limit.allowed() && !limit.shadow()) {
                    failure.addViolations(QuotaFailure.Violation.newBuilder()
                            .setSubject(limit.scope())
                            .setDescription(HttpDecision.message(outcome))
                            .setUnknownFields(quota(limit)));
                }
            }
        }
        return failure.build();
    }

    /**
     * Sets quota_id and quota_value by field number, as older versions of the message class have no setters for them.
     */
    private static UnknownFieldSet quota(LimitResult limit) {
        return UnknownFieldSet.newBuilder()
                .addField(
                        QUOTA_ID,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFromUtf8(limit.name()))
                                .build())
                .addField(
                        QUOTA_VALUE,
                        UnknownFieldSet.Field.newBuilder()
                                .addVarint(limit.capacity())
                                .build())
                .build();
    }

    /** Rounds up to milliseconds. gRPC treats a number that exceeds an int as "do not retry". */
    private static long pushback(java.time.Duration wait) {
        return Math.min(Integer.MAX_VALUE, Math.max(1, HttpDecision.millis(wait)));
    }
}

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
import dev.weir.engine.http.DecisionText;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.util.Locale;

/**
 * A decision as gRPC clients read it. The headers are those of HTTP, in lower case; a refusal has its wait twice: as
 * {@code google.rpc.RetryInfo} for programs, and as {@code grpc-retry-pushback-ms}, which gRPC's own retries obey.
 */
final class Refusals {
    /** gRPC's word for "retry after so long", or "do not" if it is negative. */
    static final Metadata.Key<String> PUSHBACK =
            Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

    private static final String NEVER = "-1";
    /** Numbers of fields of {@code google.rpc.QuotaFailure.Violation}. */
    private static final int QUOTA_ID = 5;

    private static final int QUOTA_VALUE = 7;

    private Refusals() {}

    /** How a refused call ends: used up, or, when the store did not answer and limits fail secure, unavailable. */
    static Status status(Outcome outcome) {
        Status status = outcome.reason() == Reason.UNAVAILABLE ? Status.UNAVAILABLE : Status.RESOURCE_EXHAUSTED;
        return status.withDescription(DecisionText.message(outcome));
    }

    /** The trailers of a refused call. */
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

    /** How the limits stand, for the headers of an answer or for its trailers. */
    static void addHeaders(Outcome outcome, Metadata headers) {
        DecisionText.headers(
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

    /** Which limits refused. Of whom they are it says only the kind: keys never leave the server. */
    private static QuotaFailure quotaFailure(Outcome outcome) {
        QuotaFailure.Builder failure = QuotaFailure.newBuilder();
        if (outcome.reason() != Reason.UNAVAILABLE) {
            for (LimitResult limit : outcome.limits()) {
                if (!limit.allowed() && !limit.shadow()) {
                    failure.addViolations(QuotaFailure.Violation.newBuilder()
                            .setSubject(limit.scope())
                            .setDescription(DecisionText.message(outcome))
                            .setUnknownFields(quota(limit)));
                }
            }
        }
        return failure.build();
    }

    /** The fields quota_id and quota_value by their numbers: older versions of the message's class have no setters for them. */
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

    /** Rounded up; gRPC takes a number that is too large for an int as "do not". */
    private static long pushback(java.time.Duration wait) {
        return Math.min(Integer.MAX_VALUE, Math.max(1, DecisionText.millis(wait)));
    }
}

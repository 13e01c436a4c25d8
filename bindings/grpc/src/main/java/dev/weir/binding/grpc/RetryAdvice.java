package dev.weir.binding.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads a server's advice about retries. The advice is untrusted: a value that is not a number, negative or out of
 * bounds means "do not retry", as in gRPC's own retries.
 */
final class RetryAdvice {
    private static final int MAX_NANOS = 999_999_999;
    /** Longer than any real wait, and far from any overflow. */
    private static final long MAX_SECONDS = 10_000_000_000L;

    private RetryAdvice() {}

    /** Returns how long to wait before a retry; null if there should be none, or the server gave no advice. */
    static @Nullable Duration of(Status status, @Nullable Metadata trailers) {
        boolean mayPass =
                status.getCode() == Status.Code.RESOURCE_EXHAUSTED || status.getCode() == Status.Code.UNAVAILABLE;
        if (!mayPass || trailers == null) {
            return null;
        }
        Duration info = retryInfo(status, trailers);
        String pushback = trailers.get(Refusals.PUSHBACK);
        if (pushback == null) {
            return info;
        }
        Duration told = parse(pushback);
        return told == null || info == null || told.compareTo(info) > 0 ? told : info;
    }

    private static @Nullable Duration parse(String pushback) {
        try {
            int millis = Integer.parseInt(pushback);
            return millis < 0 ? null : Duration.ofMillis(millis);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable Duration retryInfo(Status status, Metadata trailers) {
        try {
            com.google.rpc.Status details = StatusProto.fromStatusAndTrailers(status, trailers);
            if (details == null) {
                return null;
            }
            for (Any detail : details.getDetailsList()) {
                if (detail.is(RetryInfo.class)) {
                    return duration(detail.unpack(RetryInfo.class).getRetryDelay());
                }
            }
            return null;
        } catch (InvalidProtocolBufferException | RuntimeException e) {
            // Malformed advice counts as none.
            return null;
        }
    }

    private static @Nullable Duration duration(com.google.protobuf.Duration told) {
        boolean isSane = told.getSeconds() >= 0
                && told.getSeconds() <= MAX_SECONDS
                && told.getNanos() >= 0
                && told.getNanos() <= MAX_NANOS;
        return isSane ? Duration.ofSeconds(told.getSeconds(), told.getNanos()) : null;
    }
}

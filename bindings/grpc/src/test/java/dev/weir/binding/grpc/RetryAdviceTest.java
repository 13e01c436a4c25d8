package dev.weir.binding.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.Code;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Retry advice of servers, valid and malformed. */
@Tag("io")
class RetryAdviceTest {
    private static final Status EXHAUSTED = Status.RESOURCE_EXHAUSTED;

    @Test
    void pushback_isMilliseconds() {
        assertThat(RetryAdvice.of(EXHAUSTED, pushback("1500"))).isEqualTo(Duration.ofMillis(1500));
        assertThat(RetryAdvice.of(Status.UNAVAILABLE, pushback("0"))).isEqualTo(Duration.ZERO);
    }

    @Test
    void pushbackThatIsNoSensibleNumber_meansNever() {
        for (String text : List.of("-1", "-9999999999", "", " 5", "1e3", "99999999999999", "0x10", "NaN", "5;6")) {
            assertThat(RetryAdvice.of(EXHAUSTED, pushback(text))).as(text).isNull();
        }
    }

    @Test
    void retryInfo_counts_andTheLongerOfTwoWaits() {
        assertThat(RetryAdvice.of(EXHAUSTED, info(2, 5))).isEqualTo(Duration.ofSeconds(2, 5));
        Metadata both = info(2, 0);
        both.merge(pushback("1500"));
        assertThat(RetryAdvice.of(EXHAUSTED, both)).isEqualTo(Duration.ofSeconds(2));
        Metadata never = info(2, 0);
        never.merge(pushback("-1"));
        assertThat(RetryAdvice.of(EXHAUSTED, never)).isNull();
    }

    @Test
    void retryInfoThatIsNoSensibleDuration_saysNothing() {
        assertThat(RetryAdvice.of(EXHAUSTED, info(-1, 0))).isNull();
        assertThat(RetryAdvice.of(EXHAUSTED, info(0, -1))).isNull();
        assertThat(RetryAdvice.of(EXHAUSTED, info(Long.MAX_VALUE, 0))).isNull();
        assertThat(RetryAdvice.of(EXHAUSTED, info(1, Integer.MAX_VALUE))).isNull();
    }

    @Test
    void garbageInPlaceOfDetails_saysNothing() {
        Metadata.Key<byte[]> key = Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
        Metadata garbage = new Metadata();
        garbage.put(key, "garbage".getBytes(StandardCharsets.UTF_8));
        assertThat(RetryAdvice.of(EXHAUSTED, garbage)).isNull();
        Metadata broken = new Metadata();
        broken.put(
                key,
                com.google.rpc.Status.newBuilder()
                        .setCode(Code.RESOURCE_EXHAUSTED_VALUE)
                        .addDetails(Any.newBuilder()
                                .setTypeUrl("type.googleapis.com/google.rpc.RetryInfo")
                                .setValue(ByteString.copyFromUtf8("\u0007\u0007")))
                        .build()
                        .toByteArray());
        assertThat(RetryAdvice.of(EXHAUSTED, broken)).isNull();
    }

    @Test
    void otherFailures_areNotForUs() {
        assertThat(RetryAdvice.of(Status.INTERNAL, pushback("5"))).isNull();
        assertThat(RetryAdvice.of(Status.CANCELLED, pushback("5"))).isNull();
        assertThat(RetryAdvice.of(EXHAUSTED, new Metadata())).isNull();
        assertThat(RetryAdvice.of(EXHAUSTED, null)).isNull();
    }

    private static Metadata pushback(String text) {
        return TalkServer.headers("grpc-retry-pushback-ms", text);
    }

    private static Metadata info(long seconds, int nanos) {
        return StatusProto.toStatusRuntimeException(com.google.rpc.Status.newBuilder()
                        .setCode(Code.RESOURCE_EXHAUSTED_VALUE)
                        .addDetails(Any.pack(RetryInfo.newBuilder()
                                .setRetryDelay(com.google.protobuf.Duration.newBuilder()
                                        .setSeconds(seconds)
                                        .setNanos(nanos))
                                .build()))
                        .build())
                .getTrailers();
    }
}

package dev.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UInt64Value;
import com.google.protobuf.UnknownFieldSet;
import dev.weir.server.envoy.RateLimitQuery;
import dev.weir.server.envoy.RateLimitQuery.Entry;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestMarshallerTest {
    private static DecodedRequest decode(byte[] message) {
        return new RequestMarshaller().parse(new ByteArrayInputStream(message));
    }

    private static void assertInvalid(byte[] message, String text) {
        Status refusal = decode(message).refusal();
        assertThat(refusal).isNotNull();
        assertThat(refusal.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(refusal.getDescription()).contains(text).hasSizeLessThan(300);
    }

    private static RateLimitDescriptor.Builder descriptor(String... entries) {
        RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
        for (int i = 0; i < entries.length; i += 2) {
            descriptor.addEntries(RateLimitDescriptor.Entry.newBuilder()
                    .setKey(entries[i])
                    .setValue(entries[i + 1])
                    .build());
        }
        return descriptor;
    }

    private static RateLimitRequest.Builder request() {
        return RateLimitRequest.newBuilder().setDomain("edge");
    }

    @Test
    void message_withEveryField_isDecoded() {
        RateLimitQuery query = decode(request()
                        .setHitsAddend(-1)
                        .addDescriptors(descriptor("path", "/käse", "ip", ""))
                        .addDescriptors(descriptor("user", "u1")
                                .setLimit(RateLimitOverride.newBuilder()
                                        .setRequestsPerUnit(-2)
                                        .setUnit(RateLimitUnit.MONTH))
                                .setHitsAddend(UInt64Value.of(0)))
                        .addDescriptors(descriptor().setHitsAddend(UInt64Value.of(7)))
                        .build()
                        .toByteArray())
                .query();
        assertThat(query.domain()).isEqualTo("edge");
        assertThat(query.hits()).isEqualTo(0xffff_ffffL);
        assertThat(query.descriptors()).hasSize(3);
        assertThat(query.descriptors().get(0).entries())
                .containsExactly(new Entry("path", "/käse"), new Entry("ip", ""));
        assertThat(query.descriptors().get(0).hits()).isNull();
        assertThat(query.descriptors().get(0).override()).isNull();
        assertThat(query.descriptors().get(1).hits()).isZero();
        assertThat(query.descriptors().get(1).override())
                .isEqualTo(new RateLimitQuery.Override(0xffff_fffeL, Unit.MONTH));
        assertThat(query.descriptors().get(2).hits()).isEqualTo(7);
        assertThat(query.descriptors().get(2).entries()).isEmpty();
    }

    @Test
    void hits_leftOut_areOne() {
        assertThat(decode(request().addDescriptors(descriptor("a", "b")).build().toByteArray())
                        .query()
                        .hits())
                .isEqualTo(1);
    }

    @Test
    void week_whichPublishedOverridesLack_isUnderstoodByItsNumber() {
        RateLimitOverride week = RateLimitOverride.newBuilder()
                .setRequestsPerUnit(5)
                .setUnitValue(7)
                .build();
        assertThat(decode(request()
                                .addDescriptors(descriptor("a", "b").setLimit(week))
                                .build()
                                .toByteArray())
                        .query()
                        .descriptors()
                        .get(0)
                        .override()
                        .unit())
                .isEqualTo(Unit.WEEK);
    }

    @Test
    void fieldsOfALaterVersion_areSkipped() {
        UnknownFieldSet later = UnknownFieldSet.newBuilder()
                .addField(
                        99,
                        UnknownFieldSet.Field.newBuilder()
                                .addVarint(1)
                                .addFixed32(1)
                                .addFixed64(1)
                                .addLengthDelimited(ByteString.copyFromUtf8("x"))
                                .build())
                .build();
        DecodedRequest decoded = decode(request()
                .addDescriptors(descriptor("a", "b").setUnknownFields(later))
                .setUnknownFields(later)
                .build()
                .toByteArray());
        assertThat(decoded.refusal()).isNull();
        assertThat(decoded.query().descriptors()).hasSize(1);
    }

    @Test
    void domainOrDescriptors_missing_areRefusedInTheWordsOfTheOriginal() {
        assertInvalid(new byte[0], "rate limit domain must not be empty");
        assertInvalid(
                RateLimitRequest.newBuilder()
                        .addDescriptors(descriptor("a", "b"))
                        .build()
                        .toByteArray(),
                "rate limit domain must not be empty");
        assertInvalid(request().build().toByteArray(), "rate limit descriptor list must not be empty");
    }

    @Test
    void bounds_ofDescriptorsEntriesTextsAndHits_areEnforced() {
        RateLimitRequest.Builder many = request();
        for (int i = 0; i < 10_000; i++) {
            many.addDescriptors(descriptor("a", "b"));
        }
        assertInvalid(many.build().toByteArray(), "more than 256 descriptors");
        String[] entries = new String[2 * 33];
        Arrays.fill(entries, "x");
        assertInvalid(request().addDescriptors(descriptor(entries)).build().toByteArray(), "more than 32 entries");
        assertInvalid(
                request()
                        .addDescriptors(descriptor("a", "x".repeat(8193)))
                        .build()
                        .toByteArray(),
                "descriptors[0].entries[0].value has 8193 characters; it may have 8192");
        assertInvalid(
                RateLimitRequest.newBuilder()
                        .setDomain("x".repeat(8193))
                        .addDescriptors(descriptor("a", "b"))
                        .build()
                        .toByteArray(),
                "domain has 8193 characters");
        assertInvalid(
                request()
                        .addDescriptors(descriptor("a", "b").setHitsAddend(UInt64Value.of(-1)))
                        .build()
                        .toByteArray(),
                "descriptors[0].hits_addend is 18446744073709551615; it may be at most 1000000000000000");
        assertInvalid(
                request()
                        .addDescriptors(descriptor("a", "b")
                                .setLimit(RateLimitOverride.newBuilder().setRequestsPerUnit(1)))
                        .build()
                        .toByteArray(),
                "descriptors[0].limit.unit is 0");
    }

    @Test
    void text_thatIsNotUtf8_isRefused() {
        byte[] bytes =
                request().addDescriptors(descriptor("key", "value")).build().toByteArray();
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 'v') {
                bytes[i] = (byte) 0xc3;
            }
        }
        assertInvalid(bytes, "not a RateLimitRequest");
    }

    @Test
    void groups_howeverDeep_areRefusedWithoutRecursion() {
        byte[] deep = new byte[200_000];
        Arrays.fill(deep, (byte) (15 << 3 | 3));
        assertInvalid(deep, "not a RateLimitRequest");
    }

    @Test
    void nestedMessages_ofUnknownFields_areSkippedAsBytes() {
        ByteString inner = ByteString.EMPTY;
        for (int i = 0; i < 1_000; i++) {
            inner = UnknownFieldSet.newBuilder()
                    .addField(
                            9,
                            UnknownFieldSet.Field.newBuilder()
                                    .addLengthDelimited(inner)
                                    .build())
                    .build()
                    .toByteString();
        }
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.writeBytes(
                request().addDescriptors(descriptor("a", "b")).build().toByteArray());
        message.writeBytes(inner.toByteArray());
        assertThat(decode(message.toByteArray()).query()).isNotNull();
    }

    @Test
    void garbage_isRefusedAndNeverThrows() {
        Random random = new Random(7);
        byte[] valid = request()
                .setHitsAddend(3)
                .addDescriptors(descriptor("a", "b", "c", "d").setHitsAddend(UInt64Value.of(300)))
                .build()
                .toByteArray();
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = random.nextBoolean() ? valid.clone() : new byte[random.nextInt(64)];
            if (bytes.length == valid.length) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
            } else {
                random.nextBytes(bytes);
            }
            DecodedRequest decoded = decode(bytes);
            assertThat(decoded.query() == null).isNotEqualTo(decoded.refusal() == null);
        }
    }
}

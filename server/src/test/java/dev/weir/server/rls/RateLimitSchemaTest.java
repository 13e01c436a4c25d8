package dev.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.DynamicMessage;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import dev.weir.server.envoy.RateLimitReply;
import dev.weir.server.envoy.RateLimitReply.CurrentLimit;
import dev.weir.server.envoy.RateLimitReply.DescriptorStatus;
import dev.weir.server.envoy.RateLimitReply.Header;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.envoyproxy.envoy.service.ratelimit.v3.RlsProto;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The trimmed schema and the encoder agree with Envoy's published API. */
class RateLimitSchemaTest {
    private final FileDescriptor published = RlsProto.getDescriptor();
    private final FileDescriptor own = RateLimitSchema.file();

    @Test
    void service_hasTheNameAndTypesOfThePublishedOne() {
        assertThat(own.getPackage()).isEqualTo(published.getPackage());
        assertThat(own.getName()).isEqualTo(published.getName());
        var theirs = published.findServiceByName("RateLimitService");
        var ours = own.findServiceByName("RateLimitService");
        assertThat(ours.getFullName()).isEqualTo(theirs.getFullName()).isEqualTo(RateLimitSchema.SERVICE);
        assertThat(ours.getMethods()).hasSameSizeAs(theirs.getMethods());
        var method = theirs.findMethodByName("ShouldRateLimit");
        var mine = ours.findMethodByName("ShouldRateLimit");
        assertThat(mine.getInputType().getFullName())
                .isEqualTo(method.getInputType().getFullName());
        assertThat(mine.getOutputType().getFullName())
                .isEqualTo(method.getOutputType().getFullName());
        assertThat(RateLimitSchema.SHOULD_RATE_LIMIT.getFullMethodName())
                .isEqualTo(theirs.getFullName() + "/" + method.getName());
        assertThat(RateLimitSchema.service().getName()).isEqualTo(theirs.getFullName());
    }

    @Test
    void everyField_hasTheNumberAndTypeOfThePublishedOne() {
        Set<String> compared = new TreeSet<>();
        for (String name : List.of("RateLimitRequest", "RateLimitResponse")) {
            compare(own.findMessageTypeByName(name), published.findMessageTypeByName(name), compared);
        }
        assertThat(compared)
                .contains(
                        "envoy.config.core.v3.HeaderValue.key",
                        "envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry.value",
                        "envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus.duration_until_reset")
                .hasSizeGreaterThan(25);
    }

    private static void compare(Descriptor own, Descriptor published, Set<String> compared) {
        assertThat(own.getFullName()).isEqualTo(published.getFullName());
        for (FieldDescriptor field : own.getFields()) {
            if (!compared.add(field.getFullName())) {
                continue;
            }
            FieldDescriptor same = published.findFieldByName(field.getName());
            assertThat(same).as(field.getFullName()).isNotNull();
            assertThat(field.getNumber()).as(field.getFullName()).isEqualTo(same.getNumber());
            assertThat(field.getType()).as(field.getFullName()).isEqualTo(same.getType());
            assertThat(field.isRepeated()).as(field.getFullName()).isEqualTo(same.isRepeated());
            assertThat(field.getJsonName()).isEqualTo(same.getJsonName());
            if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                compare(field.getMessageType(), same.getMessageType(), compared);
            } else if (field.getJavaType() == FieldDescriptor.JavaType.ENUM) {
                compare(field.getEnumType(), same.getEnumType());
            }
        }
    }

    private static void compare(EnumDescriptor own, EnumDescriptor published) {
        assertThat(own.getFullName()).isEqualTo(published.getFullName());
        own.getValues()
                .forEach(value -> assertThat(
                                published.findValueByName(value.getName()).getNumber())
                        .isEqualTo(value.getNumber()));
    }

    @Test
    void reply_isEncodedInTheBytesOfThePublishedMessage() throws Exception {
        RateLimitReply reply = new RateLimitReply(
                false,
                List.of(
                        new DescriptorStatus(false, new CurrentLimit(10, Unit.MINUTE, "login"), 0, 59_250),
                        new DescriptorStatus(true, new CurrentLimit(0xffff_ffffL + 5, null, null), 7, 0),
                        new DescriptorStatus(true, null, 0xffff_ffffL, 0),
                        new DescriptorStatus(true, null, 0, 0)),
                List.of(new Header("RateLimit-Limit", "10, 10;w=60"), new Header("ümlaut", "")));
        RateLimitResponse expected = RateLimitResponse.newBuilder()
                .setOverallCode(Code.OVER_LIMIT)
                .addStatuses(RateLimitResponse.DescriptorStatus.newBuilder()
                        .setCode(Code.OVER_LIMIT)
                        .setCurrentLimit(RateLimit.newBuilder()
                                .setRequestsPerUnit(10)
                                .setUnit(RateLimit.Unit.MINUTE)
                                .setName("login"))
                        .setDurationUntilReset(
                                Duration.newBuilder().setSeconds(59).setNanos(250_000_000)))
                .addStatuses(RateLimitResponse.DescriptorStatus.newBuilder()
                        .setCode(Code.OK)
                        .setCurrentLimit(RateLimit.newBuilder().setRequestsPerUnit(-1))
                        .setLimitRemaining(7)
                        .setDurationUntilReset(Duration.getDefaultInstance()))
                .addStatuses(RateLimitResponse.DescriptorStatus.newBuilder()
                        .setCode(Code.OK)
                        .setLimitRemaining(-1))
                .addStatuses(RateLimitResponse.DescriptorStatus.newBuilder().setCode(Code.OK))
                .addResponseHeadersToAdd(
                        HeaderValue.newBuilder().setKey("RateLimit-Limit").setValue("10, 10;w=60"))
                .addResponseHeadersToAdd(HeaderValue.newBuilder().setKey("ümlaut"))
                .build();
        byte[] encoded = ReplyMarshaller.encode(reply);
        assertThat(encoded).isEqualTo(expected.toByteArray());
        assertThat(DynamicMessage.parseFrom(own.findMessageTypeByName("RateLimitResponse"), encoded)
                        .getUnknownFields()
                        .asMap())
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void unit_hasTheNumberOfThePublishedOne(Unit unit) throws Exception {
        byte[] encoded = ReplyMarshaller.encode(new RateLimitReply(
                true, List.of(new DescriptorStatus(true, new CurrentLimit(1, unit, ""), 0, 0)), List.of()));
        assertThat(RateLimitResponse.parseFrom(encoded)
                        .getStatuses(0)
                        .getCurrentLimit()
                        .getUnit()
                        .name())
                .isEqualTo(unit.name());
    }
}

package dev.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UInt64Value;
import dev.weir.server.envoy.EnvoyVectors;
import dev.weir.server.envoy.EnvoyVectors.Running;
import dev.weir.server.envoy.EnvoyVectors.Step;
import dev.weir.server.envoy.EnvoyVectors.Vector;
import dev.weir.server.envoy.RateLimitDecisions;
import dev.weir.server.envoy.RateLimitQuery;
import dev.weir.server.envoy.RateLimitReply;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors in both forms of the protocol: the bytes of gRPC messages, and JSON. */
class RateLimitVectorsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    static List<Vector> vectors() {
        return EnvoyVectors.all();
    }

    /** The published protocol buffers have no week for a descriptor's own limit. */
    static List<Vector> vectorsOfThePublishedApi() {
        return vectors().stream()
                .filter(vector -> vector.steps().stream()
                        .flatMap(step -> step.query().descriptors().stream())
                        .map(RateLimitQuery.Descriptor::override)
                        .noneMatch(override -> override != null && override.unit() == RateLimitQuery.Unit.WEEK))
                .toList();
    }

    /** Sends a request in one form, and reads the reply in the same. */
    private interface Form {
        RateLimitReply decide(RateLimitDecisions decisions, Step step) throws IOException;
    }

    @ParameterizedTest
    @MethodSource("vectorsOfThePublishedApi")
    void vector_asProtocolBuffers_hasItsReplies(Vector vector) throws IOException {
        assertReplies(vector, (decisions, step) -> {
            DecodedRequest request = new RequestMarshaller()
                    .parse(new ByteArrayInputStream(message(step.query()).toByteArray()));
            assertThat(request.refusal()).isNull();
            RateLimitReply reply =
                    decisions.decide(Objects.requireNonNull(request.query())).await();
            return reply(RateLimitResponse.parseFrom(ReplyMarshaller.encode(reply)));
        });
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void vector_asJson_hasItsReplies(Vector vector) throws IOException {
        assertReplies(vector, (decisions, step) -> {
            RateLimitQuery query = JsonQuery.read(step.request().getBytes(StandardCharsets.UTF_8));
            return EnvoyVectors.reply(JSON.readTree(
                    JsonReply.write(decisions.decide(query).await()).toString()));
        });
    }

    private static void assertReplies(Vector vector, Form form) throws IOException {
        try (Running running = EnvoyVectors.open(vector)) {
            for (Step step : vector.steps()) {
                running.advanceTo(step);
                assertThat(form.decide(running.decisions(), step))
                        .as(step.request())
                        .isEqualTo(step.expected());
            }
        }
    }

    private static RateLimitRequest message(RateLimitQuery query) {
        RateLimitRequest.Builder request =
                RateLimitRequest.newBuilder().setDomain(query.domain()).setHitsAddend((int) query.hits());
        for (RateLimitQuery.Descriptor descriptor : query.descriptors()) {
            RateLimitDescriptor.Builder message = RateLimitDescriptor.newBuilder();
            descriptor
                    .entries()
                    .forEach(entry -> message.addEntries(RateLimitDescriptor.Entry.newBuilder()
                            .setKey(entry.key())
                            .setValue(entry.value())));
            RateLimitQuery.Override override = descriptor.override();
            if (override != null) {
                message.setLimit(RateLimitDescriptor.RateLimitOverride.newBuilder()
                        .setRequestsPerUnit((int) override.requestsPerUnit())
                        .setUnit(RateLimitUnit.valueOf(override.unit().name())));
            }
            Long hits = descriptor.hits();
            if (hits != null) {
                message.setHitsAddend(UInt64Value.of(hits));
            }
            request.addDescriptors(message);
        }
        return request.build();
    }

    private static RateLimitReply reply(RateLimitResponse response) throws InvalidProtocolBufferException {
        return new RateLimitReply(
                response.getOverallCode() == RateLimitResponse.Code.OK,
                response.getStatusesList().stream()
                        .map(RateLimitVectorsTest::status)
                        .toList(),
                response.getResponseHeadersToAddList().stream()
                        .map(header -> new RateLimitReply.Header(header.getKey(), header.getValue()))
                        .toList());
    }

    private static RateLimitReply.DescriptorStatus status(RateLimitResponse.DescriptorStatus status) {
        RateLimitResponse.RateLimit limit = status.getCurrentLimit();
        return new RateLimitReply.DescriptorStatus(
                status.getCode() == RateLimitResponse.Code.OK,
                status.hasCurrentLimit()
                        ? new RateLimitReply.CurrentLimit(
                                Integer.toUnsignedLong(limit.getRequestsPerUnit()),
                                RateLimitQuery.Unit.valueOf(limit.getUnit().name()),
                                limit.getName().isEmpty() ? null : limit.getName())
                        : null,
                Integer.toUnsignedLong(status.getLimitRemaining()),
                1_000 * status.getDurationUntilReset().getSeconds());
    }
}

package dev.weir.server.rls;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UInt64Value;
import dev.weir.Answer;
import dev.weir.fixture.TestTimeouts;
import dev.weir.server.TestServer;
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
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import io.grpc.ManagedChannel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The vectors in both forms of the protocol, the bytes of gRPC messages and JSON: by the codecs alone, and over the
 * sockets of a running server. One server has the decisions of one vector after the other, each on its own clock.
 */
@Tag("io")
class RateLimitVectorsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** The number of a week in Envoy's response; the published unit of a descriptor's own limit lacks it. */
    private static final int WEEK = RateLimitResponse.RateLimit.Unit.WEEK_VALUE;

    private static final CurrentDecisions DECISIONS = new CurrentDecisions();
    private static TestServer server;
    private static ManagedChannel channel;

    static List<Vector> vectors() {
        return EnvoyVectors.all();
    }

    @BeforeAll
    static void start() {
        server = TestServer.deciding(DECISIONS);
        channel = RateLimitClient.plain(RateLimitClient.address(server)).build();
    }

    @AfterAll
    static void stop() {
        channel.shutdownNow();
        server.close();
    }

    /** The decisions of the vector that is being sent. */
    private static final class CurrentDecisions implements RateLimitDecisions {
        private volatile RateLimitDecisions current;

        @Override
        public Answer<RateLimitReply> decide(RateLimitQuery query) {
            return current.decide(query);
        }

        @Override
        public String configurationText() {
            return current.configurationText();
        }
    }

    /** Sends a request in one form, and reads the reply in the same. */
    private interface Form {
        RateLimitReply decide(RateLimitDecisions decisions, Step step) throws IOException;
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void vector_overGrpc_hasItsReplies(Vector vector) throws IOException {
        RateLimitServiceGrpc.RateLimitServiceBlockingStub stub = RateLimitServiceGrpc.newBlockingStub(channel);
        assertReplies(vector, (decisions, step) -> {
            DECISIONS.current = decisions;
            RateLimitResponse response = stub.withDeadlineAfter(TestTimeouts.LONG.toSeconds(), TimeUnit.SECONDS)
                    .shouldRateLimit(message(step.query()));
            assertThat(response.hasDynamicMetadata()).isFalse();
            return reply(response);
        });
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void vector_overHttp_hasItsReplies(Vector vector) throws IOException {
        assertReplies(vector, (decisions, step) -> {
            DECISIONS.current = decisions;
            HttpResponse<String> response = server.post("/json", step.request());
            assertThat(response.statusCode()).isEqualTo(step.expected().allowed() ? 200 : 429);
            assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
            assertThat(JSON.readTree(response.body()).fieldNames())
                    .toIterable()
                    .isSubsetOf("overallCode", "statuses", "responseHeadersToAdd");
            return EnvoyVectors.reply(JSON.readTree(response.body()));
        });
    }

    @ParameterizedTest
    @MethodSource("vectors")
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
                        .setUnitValue(
                                override.unit() == RateLimitQuery.Unit.WEEK
                                        ? WEEK
                                        : RateLimitUnit.valueOf(override.unit().name())
                                                .getNumber()));
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

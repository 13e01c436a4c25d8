package dev.weir.binding.grpc;

import static dev.weir.binding.grpc.TalkServer.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import dev.weir.binding.grpc.talk.Line;
import dev.weir.binding.grpc.talk.TalkGrpc;
import dev.weir.memory.MemoryStore;
import dev.weir.testkit.FailureInjectingStore;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls are decided before their handlers run, and clients get the state of the limits. Over real sockets. */
@Tag("io")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class CallLimitsTest {
    private static final String FIVE = "limits: [{ name: calls, per: [user], rate: 5/hour }]";

    @Test
    void calls_fiftyAtOnce_areAdmittedExactlyUpToTheLimit() throws Exception {
        try (TalkServer server = inMemory("limits: [{ name: calls, per: [user], rate: 20/hour }]")) {
            List<RecordedResponses> all = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                RecordedResponses heard = new RecordedResponses();
                server.async("ann").say(line("hi"), heard);
                all.add(heard);
            }
            int admitted = 0;
            for (RecordedResponses heard : all) {
                admitted += heard.code() == Status.Code.OK ? 1 : 0;
            }
            assertThat(admitted).isEqualTo(20);
            assertThat(server.talk.begun).hasValue(20);
        }
    }

    @Test
    void refused_saysWhichLimitAndHowLongToWait() throws Exception {
        try (TalkServer server = inMemory("limits: [{ name: calls, per: [user], rate: 1/hour }]")) {
            server.blocking("ann").say(line("hi"));
            StatusRuntimeException refused = refusal(server, "ann");
            assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(refused.getStatus().getDescription()).contains("'calls'");

            com.google.rpc.Status details = StatusProto.fromThrowable(refused);
            assertThat(details.getMessage()).isEqualTo(refused.getStatus().getDescription());
            com.google.protobuf.Duration delay =
                    detail(details, RetryInfo.class).getRetryDelay();
            assertThat(delay.getSeconds()).isBetween(3590L, 3600L);
            QuotaFailure.Violation violation =
                    detail(details, QuotaFailure.class).getViolations(0);
            assertThat(violation.getSubject()).isEqualTo("user");
            // By the field numbers of quota_id and quota_value, as the oldest version of the message has no getters for
            // them.
            UnknownFieldSet fields = UnknownFieldSet.parseFrom(violation.toByteString());
            assertThat(fields.getField(5).getLengthDelimitedList()).containsExactly(ByteString.copyFromUtf8("calls"));
            assertThat(fields.getField(7).getVarintList()).containsExactly(1L);

            Metadata trailers = refused.getTrailers();
            long exactMillis = delay.getSeconds() * 1000 + (delay.getNanos() + 999_999) / 1_000_000;
            assertThat(text(trailers, "grpc-retry-pushback-ms")).isEqualTo(Long.toString(exactMillis));
            assertThat(text(trailers, "retry-after")).isEqualTo("3600");
            assertThat(text(trailers, "x-ratelimit-remaining")).isEqualTo("0");
            assertThat(server.blocking("bob").say(line("hi")).getText()).isEqualTo("hi");
        }
    }

    @Test
    void admitted_tellsHowTheLimitsStand_inHeadersOnlyOnce() throws Exception {
        try (TalkServer server = inMemory(FIVE)) {
            AtomicReference<Metadata> headers = new AtomicReference<>();
            AtomicReference<Metadata> trailers = new AtomicReference<>();
            server.blocking("ann")
                    .withInterceptors(MetadataUtils.newCaptureMetadataInterceptor(headers, trailers))
                    .say(line("hi"));
            assertThat(text(headers.get(), "x-ratelimit-limit")).isEqualTo("5");
            assertThat(text(headers.get(), "x-ratelimit-remaining")).isEqualTo("4");
            assertThat(text(headers.get(), "ratelimit-policy")).isEqualTo("\"calls\";q=5;w=3600");
            assertThat(text(headers.get(), "ratelimit")).startsWith("\"calls\";r=4;t=");
            assertThat(text(trailers.get(), "ratelimit")).isNull();
        }
    }

    @Test
    void limitOfZero_isNeverTriedAgain() throws Exception {
        try (TalkServer server = inMemory("limits: [{ name: closed, per: [user], rate: 0/hour }]")) {
            StatusRuntimeException refused = refusal(server, "ann");
            assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(text(refused.getTrailers(), "grpc-retry-pushback-ms")).isEqualTo("-1");
            assertThat(text(refused.getTrailers(), "retry-after")).isNull();
            assertThat(StatusProto.fromThrowable(refused).getDetailsList()).noneMatch(any -> any.is(RetryInfo.class));
        }
    }

    @Test
    void storeThatFails_failsSecure_unlessTheLimitSaysOtherwise() throws Exception {
        FailureInjectingStore store = new FailureInjectingStore();
        String limits = "limits: [{ name: calls, match: { method: \"**/Say\" }, per: [user], rate: 5/hour },"
                + " { name: open, match: { method: \"**/Count\" }, per: [user], rate: 5/hour, on-store-failure: allow }]";
        try (TalkServer server = TalkServer.start(limits, store, UnaryOperator.identity())) {
            store.be(FailureInjectingStore.Behavior.FAILS);
            StatusRuntimeException refused = refusal(server, "ann");
            assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(refused.getStatus().getDescription()).isEqualTo("Rate limiter temporarily unavailable");
            assertThat(text(refused.getTrailers(), "grpc-retry-pushback-ms")).isEqualTo("60000");
            assertThat(detail(StatusProto.fromThrowable(refused), RetryInfo.class)
                            .getRetryDelay()
                            .getSeconds())
                    .isEqualTo(60);
            assertThat(server.talk.begun).hasValue(0);

            assertThat(server.blocking("ann").count(line("2"))).toIterable().hasSize(2);
        }
    }

    @Test
    void methods_haveLimitsOfTheirOwn_byRules() throws Exception {
        try (TalkServer server = inMemory("limits: [{ name: say, match: { channel: grpc, service: dev.weir.talk.Talk,"
                + " method: dev.weir.talk.Talk/Say, type: call }, per: [user, method], rate: 1/hour }]")) {
            server.blocking("ann").say(line("hi"));
            assertThat(refusal(server, "ann").getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(server.blocking("ann").count(line("3"))).toIterable().hasSize(3);
        }
    }

    @Test
    void addresses_comeFromTheConnection_andFromTrustedProxiesOnly() throws Exception {
        String limit = "limits: [{ name: calls, per: [ip], rate: 1/hour }]";
        try (TalkServer server = inMemory(limit)) {
            from(server, "203.0.113.7").say(line("hi"));
            assertThat(catchThrowableOfType(
                            StatusRuntimeException.class,
                            () -> from(server, "203.0.113.8").say(line("hi"))))
                    .as("a client that is no proxy is who it is")
                    .isNotNull();
        }
        try (TalkServer server = inMemory("trusted-proxies: [127.0.0.0/8, \"::1/128\"]\n" + limit)) {
            from(server, "203.0.113.7").say(line("hi"));
            from(server, "203.0.113.8").say(line("hi"));
        }
    }

    @Test
    void decisionThatTakesItsTime_holdsCallsOfEveryKind() throws Exception {
        FailureInjectingStore store = new FailureInjectingStore();
        try (TalkServer server =
                TalkServer.start("limits: [{ name: calls, per: [user], rate: 4/hour }]", store, how -> how)) {
            store.be(FailureInjectingStore.Behavior.LATER);
            assertThat(server.blocking("ann").say(line("hi")).getText()).isEqualTo("hi");
            assertThat(server.blocking("ann").count(line("3"))).toIterable().hasSize(3);
            RecordedResponses collected = new RecordedResponses();
            StreamObserver<Line> collect = server.async("ann").collect(collected);
            List.of("a", "b", "c").forEach(text -> collect.onNext(line(text)));
            collect.onCompleted();
            assertThat(collected.code()).isEqualTo(Status.Code.OK);
            assertThat(collected.lines).containsExactly("abc");
            RecordedResponses echoed = new RecordedResponses();
            StreamObserver<Line> chat = server.async("ann").chat(echoed);
            List.of("a", "b", "c").forEach(text -> chat.onNext(line(text)));
            chat.onCompleted();
            assertThat(echoed.code()).isEqualTo(Status.Code.OK);
            assertThat(echoed.lines).containsExactly("a", "b", "c");
            assertThat(refusal(server, "ann").getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        }
    }

    @Test
    void streamThatEndsEmptyWhileItIsHeld_isCompletedLater() throws Exception {
        FailureInjectingStore store = new FailureInjectingStore();
        try (TalkServer server = TalkServer.start(FIVE, store, how -> how)) {
            store.be(FailureInjectingStore.Behavior.HELD);
            RecordedResponses heard = new RecordedResponses();
            server.async("ann").collect(heard).onCompleted();
            await().until(() -> store.calls() == 1);
            assertThat(server.talk.begun).hasValue(0);
            await().until(store::release);
            assertThat(heard.code()).isEqualTo(Status.Code.OK);
            assertThat(server.talk.completed).hasValue(1);
        }
    }

    @Test
    void callThatIsCancelledWhileItIsHeld_neverReachesItsHandler_andStaysCharged() throws Exception {
        FailureInjectingStore store = new FailureInjectingStore();
        try (TalkServer server =
                TalkServer.start("limits: [{ name: calls, per: [user], rate: 1/hour }]", store, h -> h)) {
            store.be(FailureInjectingStore.Behavior.HELD);
            Context.CancellableContext context = Context.current().withCancellation();
            RecordedResponses heard = new RecordedResponses();
            context.run(() -> server.async("ann").say(line("hi"), heard));
            await().until(() -> store.calls() == 1);
            context.cancel(null);
            assertThat(heard.code()).isEqualTo(Status.Code.CANCELLED);
            store.be(FailureInjectingStore.Behavior.WELL);
            // The server processes this after everything that was sent before.
            server.blocking("bob").say(line("hi"));
            await().until(store::release);
            assertThat(refusal(server, "ann").getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(server.talk.begun).as("bob's alone").hasValue(1);
        }
    }

    @Test
    void handlerThatFailsAfterADecisionThatTookItsTime_endsTheCall() throws Exception {
        FailureInjectingStore store = new FailureInjectingStore();
        try (TalkServer server = TalkServer.start(FIVE, store, how -> how)) {
            store.be(FailureInjectingStore.Behavior.LATER);
            StatusRuntimeException failed = catchThrowableOfType(
                    StatusRuntimeException.class, () -> server.blocking("ann").say(line("trip")));
            assertThat(failed.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
        }
    }

    @Test
    void userOfAnEarlierInterceptor_isFoundInTheContext_andTheOutcomeInTheHandlers() throws Exception {
        Context.Key<String> user = Context.key("user");
        ServerInterceptor authentication = new ServerInterceptor() {
            @Override
            public <Q, A> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
                return Contexts.interceptCall(Context.current().withValue(user, "carol"), call, headers, next);
            }
        };
        FailureInjectingStore store = new FailureInjectingStore();
        store.be(FailureInjectingStore.Behavior.LATER);
        try (TalkServer server = TalkServer.start(
                "limits: [{ name: calls, per: [member], rate: 1/hour }]",
                store,
                how -> how.attribute("member", Extractor.context(user)),
                authentication)) {
            server.blocking("ann").say(line("hi"));
            assertThat(refusal(server, "bob").getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        }
    }

    @Test
    void extractorThatFails_letsNobodyIn() throws Exception {
        try (TalkServer server = TalkServer.start(
                FIVE,
                MemoryStore.create(),
                how -> how.attribute("broken", (call, headers) -> {
                    throw new IllegalStateException("a failure that the test wants");
                }))) {
            assertThat(refusal(server, "ann").getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
            assertThat(server.talk.begun).hasValue(0);
        }
    }

    @Test
    void skippedMethods_areUntouched() throws Exception {
        try (TalkServer server = TalkServer.start(
                "limits: [{ name: closed, per: [], rate: 0/hour }]",
                MemoryStore.create(),
                how -> how.skipping(method -> method.getFullMethodName().endsWith("/Say")))) {
            assertThat(server.blocking("ann").say(line("hi")).getText()).isEqualTo("hi");
        }
    }

    @Test
    void hostileMetadata_makesNoKeyLong_andIsStillToldApart() throws Exception {
        try (TalkServer server = inMemory("limits: [{ name: calls, per: [user], rate: 1/hour }]")) {
            String one = "x".repeat(6000) + "1";
            String other = "x".repeat(6000) + "2";
            server.blocking(one).say(line("hi"));
            server.blocking(other).say(line("hi"));
            assertThat(refusal(server, one).getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            for (String text : List.of("", "a:b", "\"; r=9", "%0d%0a", " ~", "a".repeat(512))) {
                Metadata headers = TalkServer.headers("x-user", text);
                headers.merge(TalkServer.headers("x-forwarded-for", "1.2.3.4, ,,garbage"));
                headers.merge(TalkServer.headers("forwarded", "for=\"[::1"));
                TalkGrpc.newBlockingStub(server.channel)
                        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .say(line("hi"));
            }
        }
    }

    private static TalkServer inMemory(String limits) throws Exception {
        return TalkServer.start(limits, MemoryStore.create(), UnaryOperator.identity());
    }

    private static TalkGrpc.TalkBlockingStub from(TalkServer server, String address) {
        return server.blocking("ann")
                .withInterceptors(
                        MetadataUtils.newAttachHeadersInterceptor(TalkServer.headers("x-forwarded-for", address)));
    }

    private static StatusRuntimeException refusal(TalkServer server, String user) {
        StatusRuntimeException refused = catchThrowableOfType(
                StatusRuntimeException.class, () -> server.blocking(user).say(line("hi")));
        assertThat(refused).as("refused").isNotNull();
        return refused;
    }

    private static String text(Metadata metadata, String name) {
        return metadata.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
    }

    private static <T extends com.google.protobuf.Message> T detail(com.google.rpc.Status status, Class<T> type)
            throws Exception {
        for (Any any : status.getDetailsList()) {
            if (any.is(type)) {
                return any.unpack(type);
            }
        }
        throw new AssertionError("no " + type + " in " + status);
    }
}

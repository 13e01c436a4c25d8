package dev.weir.server.rls;

import static dev.weir.server.rls.RateLimitClient.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.UInt64Value;
import dev.weir.fixture.RedisProcess;
import dev.weir.server.AccessOptions;
import dev.weir.server.DelayedStore;
import dev.weir.server.GrpcOptions;
import dev.weir.server.StartException;
import dev.weir.server.TestServer;
import dev.weir.server.WeirServer;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Envoy's rate limit service over gRPC, as clients of the published API see it. */
@Tag("io")
class RateLimitServiceTest {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    @Test
    void shouldRateLimit_beyondTheLimit_isOverLimit() {
        try (RateLimitClient client = RateLimitClient.start()) {
            for (int left = 2; left >= 0; left--) {
                RateLimitResponse response = client.call("path", "/login");
                assertThat(response.getOverallCode()).isEqualTo(Code.OK);
                assertThat(response.getStatusesList()).hasSize(1);
                DescriptorStatus status = response.getStatuses(0);
                assertThat(status.getCurrentLimit().getName()).isEqualTo("path");
                assertThat(status.getCurrentLimit().getRequestsPerUnit()).isEqualTo(3);
                assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.MINUTE);
                assertThat(status.getLimitRemaining()).isEqualTo(left);
                assertThat(status.getDurationUntilReset().getSeconds()).isBetween(0L, 60L);
            }
            assertThat(client.call("path", "/login").getOverallCode()).isEqualTo(Code.OVER_LIMIT);
            RateLimitResponse several = client.stub.shouldRateLimit(RateLimitRequest.newBuilder()
                    .setDomain("edge")
                    .addDescriptors(RateLimitClient.descriptor("user", "u1"))
                    .addDescriptors(RateLimitClient.descriptor("path", "/login"))
                    .addDescriptors(RateLimitClient.descriptor("nothing", "matches"))
                    .build());
            assertThat(several.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
            assertThat(several.getStatusesList())
                    .extracting(DescriptorStatus::getCode)
                    .containsExactly(Code.OK, Code.OVER_LIMIT, Code.OK);
            assertThat(several.getStatuses(2).hasCurrentLimit()).isFalse();
        }
    }

    @Test
    void hits_ofTheRequestAndOfADescriptor_areSpent() {
        try (RateLimitClient client = RateLimitClient.start()) {
            RateLimitRequest two =
                    request("path", "/a").toBuilder().setHitsAddend(2).build();
            assertThat(client.stub.shouldRateLimit(two).getStatuses(0).getLimitRemaining())
                    .isEqualTo(1);
            RateLimitRequest look = two.toBuilder()
                    .setDescriptors(0, two.getDescriptors(0).toBuilder().setHitsAddend(UInt64Value.of(0)))
                    .build();
            assertThat(client.stub.shouldRateLimit(look).getOverallCode()).isEqualTo(Code.OK);
            assertThat(client.call("path", "/a").getStatuses(0).getLimitRemaining())
                    .isZero();
        }
    }

    @Test
    void json_decidesOnTheSameBudgets() {
        try (RateLimitClient client = RateLimitClient.start()) {
            String body = "{\"domain\":\"edge\",\"descriptors\":[{\"entries\":[{\"key\":\"path\",\"value\":\"/j\"}]}]}";
            var first = client.server.post("/json", body);
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(TestServer.json(first).get("overallCode").asText()).isEqualTo("OK");
            assertThat(TestServer.json(first).at("/statuses/0/limitRemaining").asInt())
                    .isEqualTo(2);
            client.call("path", "/j");
            client.call("path", "/j");
            var refused = client.server.post("/json", body);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Content-Type").orElseThrow())
                    .isEqualTo("application/json");
            assertThat(TestServer.json(refused).get("overallCode").asText()).isEqualTo("OVER_LIMIT");
            for (String bad :
                    List.of("", "{", "{}", "{\"domain\":\"edge\"}", "{\"domain\":\"\",\"descriptors\":[{}]}")) {
                assertThat(client.server.post("/json", bad).statusCode())
                        .as(bad)
                        .isEqualTo(400);
            }
            assertThat(client.server.post("/json", "x".repeat(70_000)).statusCode())
                    .isEqualTo(413);
            assertThat(client.server.get("/json").statusCode()).isEqualTo(405);
            var health = client.server.get("/healthcheck");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.body()).isEqualTo("OK");
            assertThat(client.server.get("/rlconfig").body()).contains("path");
        }
    }

    @Test
    void concurrentCalls_overSeveralConnections_admitExactlyTheLimit() {
        String limits = RateLimitClient.LIMITS.replace("3/min", "100/hour");
        try (RateLimitClient client = RateLimitClient.withLimits(limits)) {
            List<CompletableFuture<Code>> codes = new CopyOnWriteArrayList<>();
            List<Thread> threads = IntStream.range(0, 4)
                    .mapToObj(i -> new Thread(() -> {
                        var channel = RateLimitClient.plain(client.address()).build();
                        RateLimitServiceGrpc.RateLimitServiceStub stub = RateLimitServiceGrpc.newStub(channel);
                        List<CompletableFuture<Code>> own = Stream.generate(() -> call(stub, request("path", "/c")))
                                .limit(100)
                                .toList();
                        codes.addAll(own);
                        own.forEach(CompletableFuture::join);
                        channel.shutdownNow();
                    }))
                    .toList();
            threads.forEach(Thread::start);
            threads.forEach(RateLimitServiceTest::join);
            assertThat(codes).hasSize(400);
            assertThat(codes.stream().filter(code -> code.join() == Code.OK)).hasSize(100);
        }
    }

    @Test
    void health_followsTheStore_forBothNames_andWatchersAreTold() throws Exception {
        try (RedisProcess redis = RedisProcess.start();
                RateLimitClient client =
                        RateLimitClient.start(options -> options.withStore(redis.uri() + "?timeout=200ms"))) {
            HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(client.channel);
            for (String service : List.of("", "ratelimit", RateLimitSchema.SERVICE)) {
                assertThat(status(health, service)).isEqualTo(ServingStatus.SERVING);
            }
            assertThatThrownBy(() -> status(health, "unknown"))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND));
            BlockingQueue<Object> seen = watch(client);
            assertThat(seen.take()).isEqualTo(ServingStatus.SERVING);
            redis.kill();
            assertThat(seen.take()).isEqualTo(ServingStatus.NOT_SERVING);
            await().untilAsserted(() -> assertThat(status(health, "ratelimit")).isEqualTo(ServingStatus.NOT_SERVING));
            assertThat(client.server.get("/healthcheck").statusCode()).isEqualTo(500);
        }
    }

    @Test
    void reflection_showsTheServiceInBothVersions() throws Exception {
        try (RateLimitClient client = RateLimitClient.start()) {
            BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
            var requests = ServerReflectionGrpc.newStub(client.channel)
                    .serverReflectionInfo(
                            RateLimitServiceTest.<ServerReflectionResponse, Object>into(seen, response -> response));
            requests.onNext(
                    ServerReflectionRequest.newBuilder().setListServices("").build());
            assertThat(((ServerReflectionResponse) seen.take())
                            .getListServicesResponse()
                            .getServiceList())
                    .extracting(service -> service.getName())
                    .contains(RateLimitSchema.SERVICE, "grpc.health.v1.Health");
            requests.onNext(ServerReflectionRequest.newBuilder()
                    .setFileContainingSymbol(RateLimitSchema.SERVICE)
                    .build());
            assertThat(((ServerReflectionResponse) seen.take())
                            .getFileDescriptorResponse()
                            .getFileDescriptorProtoCount())
                    .isGreaterThan(3);
            requests.onCompleted();
            var older = io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(client.channel)
                    .serverReflectionInfo(
                            RateLimitServiceTest.<io.grpc.reflection.v1alpha.ServerReflectionResponse, Object>into(
                                    seen, response -> response));
            older.onNext(io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                    .setFileContainingSymbol(RateLimitSchema.SERVICE)
                    .build());
            Object answer = seen.take();
            while (!(answer instanceof io.grpc.reflection.v1alpha.ServerReflectionResponse response)) {
                answer = seen.take();
            }
            assertThat(response.getFileDescriptorResponse().getFileDescriptorProtoCount())
                    .isGreaterThan(3);
            older.onCompleted();
        }
    }

    @Test
    void token_whereRequired_isTakenFromTheMetadata() {
        try (RateLimitClient client = RateLimitClient.start(
                options -> options.withAccess(new AccessOptions(null, true, List.of(), List.of())))) {
            assertThatThrownBy(() -> client.call("path", "/t"))
                    .isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
                        assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
                        assertThat(e.getStatus().getDescription()).contains("Bearer TOKEN");
                    });
            assertThat(with(client, "Bearer " + TestServer.TOKEN)
                            .shouldRateLimit(request("path", "/t"))
                            .getStatuses(0)
                            .getLimitRemaining())
                    .isEqualTo(2);
            for (int i = 0; i < 10; i++) {
                assertThat(code(with(client, "Bearer wrong-" + i))).isEqualTo(Status.Code.UNAUTHENTICATED);
            }
            assertThat(code(with(client, "Bearer wrong"))).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(with(client, "Bearer " + TestServer.TOKEN)
                            .shouldRateLimit(request("path", "/t"))
                            .getStatuses(0)
                            .getLimitRemaining())
                    .isEqualTo(1);
            assertThat(status(HealthGrpc.newBlockingStub(client.channel), ""))
                    .as("health needs none")
                    .isEqualTo(ServingStatus.SERVING);
        }
    }

    @Test
    void close_letsCallsInFlightFinish_andReportsNotServing() throws Exception {
        RateLimitClient client = RateLimitClient.start(
                options -> options.withStore(DelayedStore.URI).withDrainDelay(Duration.ofMillis(1)));
        BlockingQueue<Object> health = watch(client);
        assertThat(health.take()).isEqualTo(ServingStatus.SERVING);
        CompletableFuture<Code> inFlight = call(RateLimitServiceGrpc.newStub(client.channel), request("path", "/d"));
        await().until(() -> !DelayedStore.WAITING.isEmpty());
        Thread closing = new Thread(client.server::close);
        closing.start();
        assertThat(health.take()).isEqualTo(ServingStatus.NOT_SERVING);
        await().until(() -> {
            try {
                var fresh = RateLimitClient.plain(client.address()).build();
                HealthGrpc.newBlockingStub(fresh).check(HealthCheckRequest.getDefaultInstance());
                fresh.shutdownNow();
                return false;
            } catch (StatusRuntimeException e) {
                return e.getStatus().getCode() == Status.Code.UNAVAILABLE;
            }
        });
        assertThat(inFlight).isNotDone();
        DelayedStore.answerAll();
        assertThat(inFlight.join()).isEqualTo(Code.OK);
        client.channel.shutdownNow();
        join(closing);
    }

    @Test
    void maxConnectionAge_endsAConnectionWithoutLosingCalls() {
        try (RateLimitClient client = RateLimitClient.start(options -> options.withGrpc(
                GrpcOptions.of(0).withMaxConnectionAge(Duration.ofMillis(200), Duration.ofMinutes(1))))) {
            Set<Object> connections = new HashSet<>();
            var stub = client.stub.withInterceptors(new ClientInterceptor() {
                @Override
                public <Q, R> ClientCall<Q, R> interceptCall(
                        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
                    ClientCall<Q, R> call = next.newCall(method, options);
                    return new SimpleForwardingClientCall<>(call) {
                        @Override
                        public void start(Listener<R> listener, Metadata headers) {
                            super.start(
                                    new SimpleForwardingClientCallListener<>(listener) {
                                        @Override
                                        public void onHeaders(Metadata received) {
                                            connections.add(call.getAttributes().get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR));
                                            super.onHeaders(received);
                                        }
                                    },
                                    headers);
                        }
                    };
                }
            });
            await().until(() -> {
                assertThat(stub.shouldRateLimit(request("user", "age")).getOverallCode())
                        .isEqualTo(Code.OK);
                return connections.size() >= 4;
            });
        }
    }

    @Test
    void ageOfConnections_outOfBounds_isRefused() {
        GrpcOptions options = GrpcOptions.of(0);
        Duration tooLong = Duration.ofHours(999_999_999_999_999L);
        for (Duration age : List.of(Duration.ZERO, Duration.ofSeconds(-1), tooLong)) {
            assertThatThrownBy(() -> options.withMaxConnectionAge(age, Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("grpc-max-connection-age must be");
        }
        for (Duration grace : List.of(Duration.ofSeconds(-1), tooLong)) {
            assertThatThrownBy(() -> options.withMaxConnectionAge(Duration.ofHours(1), grace))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("grpc-max-connection-age-grace must");
        }
    }

    @Test
    void port_thatIsTaken_isAnErrorOrAWarning() {
        try (RateLimitClient client = RateLimitClient.start()) {
            int taken = client.address().getPort();
            assertThatThrownBy(() -> WeirServer.start(RateLimitClient.options().withGrpc(GrpcOptions.of(taken))))
                    .isInstanceOfSatisfying(
                            StartException.class, e -> assertThat(e.why()).isEqualTo(StartException.Cause.PORT))
                    .hasMessageContaining("cannot listen on 127.0.0.1:" + taken + " for gRPC")
                    .hasMessageContaining("--grpc-port");
            try (WeirServer without = WeirServer.start(
                    RateLimitClient.options().withGrpc(GrpcOptions.of(taken).ifFree()))) {
                assertThat(without.grpcAddress()).isNull();
            }
        }
    }

    static CompletableFuture<Code> call(RateLimitServiceGrpc.RateLimitServiceStub stub, RateLimitRequest request) {
        CompletableFuture<Code> code = new CompletableFuture<>();
        stub.shouldRateLimit(request, new StreamObserver<>() {
            @Override
            public void onNext(RateLimitResponse response) {
                code.complete(response.getOverallCode());
            }

            @Override
            public void onError(Throwable failure) {
                code.completeExceptionally(failure);
            }

            @Override
            public void onCompleted() {}
        });
        return code;
    }

    private static RateLimitServiceGrpc.RateLimitServiceBlockingStub with(RateLimitClient client, String token) {
        Metadata metadata = new Metadata();
        metadata.put(AUTHORIZATION, token);
        return client.stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
    }

    static Status.Code code(RateLimitServiceGrpc.RateLimitServiceBlockingStub stub) {
        try {
            stub.shouldRateLimit(request("path", "/t"));
            return Status.Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        }
    }

    private static ServingStatus status(HealthGrpc.HealthBlockingStub health, String service) {
        return health.check(HealthCheckRequest.newBuilder().setService(service).build())
                .getStatus();
    }

    private static BlockingQueue<Object> watch(RateLimitClient client) {
        BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
        HealthGrpc.newStub(client.channel)
                .watch(
                        HealthCheckRequest.newBuilder().setService("ratelimit").build(),
                        RateLimitServiceTest.<HealthCheckResponse, Object>into(seen, HealthCheckResponse::getStatus));
        return seen;
    }

    private static <T, R> StreamObserver<T> into(
            BlockingQueue<R> queue, java.util.function.Function<T, ? extends R> part) {
        return new StreamObserver<>() {
            @Override
            public void onNext(T value) {
                queue.add(part.apply(value));
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {}
        };
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}

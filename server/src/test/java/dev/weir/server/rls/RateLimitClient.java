package dev.weir.server.rls;

import dev.weir.server.ConfigurationSource;
import dev.weir.server.GrpcOptions;
import dev.weir.server.ServerOptions;
import dev.weir.server.TestServer;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.util.function.UnaryOperator;

/** A client of Envoy's published API, and the server that it calls. */
final class RateLimitClient implements AutoCloseable {
    static final String LIMITS = """
            version: 1
            limits:
              - name: path
                match: { domain: edge }
                per: [path]
                rate: 3/min
                algorithm: fixed-window
              - name: user
                match: { domain: edge }
                per: [user]
                rate: 1000000/hour
                algorithm: fixed-window
            """;

    final TestServer server;
    final ManagedChannel channel;
    final RateLimitServiceGrpc.RateLimitServiceBlockingStub stub;

    private RateLimitClient(TestServer server) {
        this.server = server;
        this.channel = plain(address(server)).build();
        this.stub = RateLimitServiceGrpc.newBlockingStub(channel);
    }

    static ServerOptions options() {
        return ServerOptions.of(ConfigurationSource.text("test.yaml", LIMITS)).withGrpc(GrpcOptions.of(0));
    }

    static RateLimitClient start() {
        return start(options -> options);
    }

    static RateLimitClient withLimits(String yaml) {
        return new RateLimitClient(TestServer.start(
                ServerOptions.of(ConfigurationSource.text("test.yaml", yaml)).withGrpc(GrpcOptions.of(0))));
    }

    static RateLimitClient start(UnaryOperator<ServerOptions> more) {
        return new RateLimitClient(TestServer.start(more.apply(options())));
    }

    static InetSocketAddress address(TestServer server) {
        String address = server.server.grpcAddress();
        int colon = address.lastIndexOf(':');
        return new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    InetSocketAddress address() {
        return address(server);
    }

    static NettyChannelBuilder plain(InetSocketAddress address) {
        return NettyChannelBuilder.forAddress(address).usePlaintext();
    }

    static RateLimitRequest request(String... entries) {
        return RateLimitRequest.newBuilder()
                .setDomain("edge")
                .addDescriptors(descriptor(entries))
                .build();
    }

    static RateLimitDescriptor descriptor(String... entries) {
        RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
        for (int i = 0; i < entries.length; i += 2) {
            descriptor.addEntries(
                    RateLimitDescriptor.Entry.newBuilder().setKey(entries[i]).setValue(entries[i + 1]));
        }
        return descriptor.build();
    }

    RateLimitResponse call(String... entries) {
        return stub.shouldRateLimit(request(entries));
    }

    @Override
    public void close() {
        channel.shutdownNow();
        server.close();
    }
}

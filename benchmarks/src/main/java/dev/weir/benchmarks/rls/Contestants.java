package dev.weir.benchmarks.rls;

import com.google.protobuf.StringValue;
import dev.weir.benchmarks.load.Contestant;
import dev.weir.server.ConfigurationSource;
import dev.weir.server.GrpcOptions;
import dev.weir.server.ServerOptions;
import dev.weir.server.WeirServer;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The servers that are compared, each with a client of its own. Every request fits its limits. */
final class Contestants {
    static final String HELLO = "bare gRPC hello";
    static final String PIPELINE = "INCRBY and EXPIRE in a pipeline";
    static final String WEIR = "Weir";

    private static final int WINDOW_SECONDS = 60;

    private Contestants() {}

    /** Weir's server with a limit for each descriptor. */
    static Contestant weir(String name, String store, int descriptors) {
        StringBuilder yaml = new StringBuilder("version: 1\nlimits:\n");
        Messages.KEYS.forEach(key -> yaml.append("  - { name: ")
                .append(key)
                .append(", per: [")
                .append(key)
                .append("], rate: 1000000000/min, algorithm: fixed-window }\n"));
        WeirServer server = WeirServer.start(ServerOptions.of(ConfigurationSource.text("bench.yaml", yaml.toString()))
                .withStore(store)
                .withGrpc(GrpcOptions.of(0)));
        String address = String.valueOf(server.grpcAddress());
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        return limited(port, descriptors).contestant(name, server::close);
    }

    /** The least that a unary call of grpc-java costs: a message with a text there and back, on the event loop. */
    static Contestant hello() {
        MethodDescriptor<StringValue, StringValue> method = MethodDescriptor.<StringValue, StringValue>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("bench.Hello/Say")
                .setRequestMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
                .setResponseMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
                .build();
        GrpcServer server = GrpcServer.start(
                method, ServerCalls.asyncUnaryCall((StringValue name, StreamObserver<StringValue> caller) -> {
                    caller.onNext(StringValue.of("hello " + name.getValue()));
                    caller.onCompleted();
                }));
        byte[] start = StringValue.of("hello ").toByteArray();
        Predicate<byte[]> isHello = response ->
                response.length > start.length && Arrays.equals(response, 2, start.length, start, 2, start.length);
        return RawCalls.open(
                        server.address(),
                        method.getFullMethodName(),
                        key -> StringValue.of(key).toByteArray(),
                        isHello)
                .contestant(HELLO, server::close);
    }

    /**
     * The algorithm of Envoy's own service: for each descriptor INCRBY of the window's key and EXPIRE, all in one
     * pipeline. It stands in for that service; neither its configuration nor its statistics are part of it.
     */
    static Contestant pipeline(String uri, int descriptors) {
        RedisClient redis = RedisClient.create(uri);
        StatefulRedisConnection<String, String> connection = redis.connect(StringCodec.UTF8);
        MethodDescriptor<byte[], byte[]> method = RawCalls.rawMethod(Messages.METHOD);
        GrpcServer server =
                GrpcServer.start(method, ServerCalls.asyncUnaryCall((byte[] request, StreamObserver<byte[]> caller) -> {
                    List<String> keys = Messages.descriptors(request);
                    CompletableFuture<Void> unused = count(connection, keys).whenComplete((counted, failure) -> {
                        if (failure == null) {
                            caller.onNext(Messages.allowed(keys.size()));
                            caller.onCompleted();
                        } else {
                            caller.onError(failure);
                        }
                    });
                }));
        return limited(server.address().getPort(), descriptors).contestant(PIPELINE, () -> {
            server.close();
            redis.shutdown();
        });
    }

    private static CompletableFuture<Void> count(
            StatefulRedisConnection<String, String> connection, List<String> keys) {
        long window = System.currentTimeMillis() / 1000 / WINDOW_SECONDS * WINDOW_SECONDS;
        List<AsyncCommand<String, String, Long>> commands = new ArrayList<>(2 * keys.size());
        for (String key : keys) {
            String counter = key + "_" + window;
            commands.add(command(CommandType.INCRBY, counter, 1));
            commands.add(command(CommandType.EXPIRE, counter, WINDOW_SECONDS));
        }
        var unused = connection.dispatch(commands);
        return CompletableFuture.allOf(
                commands.stream().map(AsyncCommand::toCompletableFuture).toArray(CompletableFuture<?>[]::new));
    }

    private static AsyncCommand<String, String, Long> command(CommandType type, String key, long number) {
        CommandArgs<String, String> arguments =
                new CommandArgs<>(StringCodec.UTF8).addKey(key).add(number);
        return new AsyncCommand<>(new Command<>(type, new IntegerOutput<>(StringCodec.UTF8), arguments));
    }

    private static RawCalls limited(int port, int descriptors) {
        return RawCalls.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                Messages.METHOD,
                key -> Messages.request(key, descriptors),
                response -> Messages.isAllowed(response, descriptors));
    }

    /** A gRPC server with one method, on as many event loops as Weir's. */
    private record GrpcServer(Server server, EventLoopGroup loops) implements AutoCloseable {
        static <Q, R> GrpcServer start(MethodDescriptor<Q, R> method, ServerCallHandler<Q, R> handler) {
            EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                    Runtime.getRuntime().availableProcessors(),
                    new DefaultThreadFactory("bench-server", true),
                    NioIoHandler.newFactory());
            ServerServiceDefinition definition = ServerServiceDefinition.builder(
                            Objects.requireNonNull(method.getServiceName()))
                    .addMethod(method, handler)
                    .build();
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .channelType(NioServerSocketChannel.class)
                    .bossEventLoopGroup(loops)
                    .workerEventLoopGroup(loops)
                    .directExecutor()
                    .addService(definition)
                    .build();
            try {
                return new GrpcServer(server.start(), loops);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort());
        }

        @Override
        public void close() {
            server.shutdownNow();
            Future<?> unused = loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }
}

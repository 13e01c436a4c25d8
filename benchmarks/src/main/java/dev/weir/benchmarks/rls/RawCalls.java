package dev.weir.benchmarks.rls;

import dev.weir.benchmarks.load.Contestant;
import dev.weir.benchmarks.load.Usage;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A gRPC client of one connection that sends encoded messages, so that the load costs every server the same.
 *
 * @param encode the message for a key; each is encoded once
 * @param isExpected whether a response is the expected one
 */
record RawCalls(
        ManagedChannel channel,
        EventLoopGroup loop,
        MethodDescriptor<byte[], byte[]> method,
        Map<String, byte[]> messages,
        Function<String, byte[]> encode,
        Predicate<byte[]> isExpected) {

    static RawCalls open(
            InetSocketAddress address, String method, Function<String, byte[]> encode, Predicate<byte[]> isExpected) {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("bench-client", true), NioIoHandler.newFactory());
        ManagedChannel channel = NettyChannelBuilder.forAddress(address)
                .usePlaintext()
                .eventLoopGroup(loop)
                .channelType(NioSocketChannel.class)
                .directExecutor()
                .build();
        return new RawCalls(channel, loop, rawMethod(method), new ConcurrentHashMap<>(), encode, isExpected);
    }

    static MethodDescriptor<byte[], byte[]> rawMethod(String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(name)
                .setRequestMarshaller(new ByteMarshaller())
                .setResponseMarshaller(new ByteMarshaller())
                .build();
    }

    /** Sends the message of a key, and calls back with whether the response is the expected one. */
    void send(String key, Contestant.Callback callback) {
        ClientCall<byte[], byte[]> call = channel.newCall(method, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    private byte @Nullable [] response;

                    @Override
                    public void onMessage(byte[] message) {
                        response = message;
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        byte[] message = response;
                        if (status.isOk() && message != null) {
                            callback.accept(isExpected.test(message), null);
                        } else {
                            callback.accept(null, status.asRuntimeException());
                        }
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage(messages.computeIfAbsent(key, encode));
        call.halfClose();
    }

    /** Returns these calls as a contestant, which closes the client and then the server. */
    Contestant contestant(String name, Runnable closing) {
        return new Contestant(
                name,
                key -> {
                    CompletableFuture<Boolean> done = new CompletableFuture<>();
                    send(key, (admitted, failure) -> {
                        if (failure == null) {
                            done.complete(admitted);
                        } else {
                            done.completeExceptionally(failure);
                        }
                    });
                    return done.join();
                },
                this::send,
                () -> Usage.UNKNOWN,
                false,
                () -> {
                    channel.shutdownNow();
                    Future<?> unused = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
                    closing.run();
                });
    }

    /** Messages as they are. */
    private static final class ByteMarshaller implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readNBytes(stream.available());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}

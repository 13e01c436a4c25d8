package dev.weir.binding.grpc;

import dev.weir.Store;
import dev.weir.binding.grpc.talk.Line;
import dev.weir.binding.grpc.talk.TalkGrpc;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.settings.InMemorySettings;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** A real server with limits on its own port, and a channel to it. */
final class TalkServer implements AutoCloseable {
    final Weir weir;
    final Talk talk = new Talk();
    final ManagedChannel channel;
    private final WeirServerInterceptor limits;
    private final Server server;

    private TalkServer(Weir weir, UnaryOperator<WeirServerInterceptor.Builder> how, List<ServerInterceptor> earlier)
            throws Exception {
        this.weir = weir;
        this.limits = how.apply(WeirServerInterceptor.builder(weir).attribute("user", Extractor.metadata("x-user")))
                .build();
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(talk)
                .intercept(limits);
        earlier.forEach(builder::intercept);
        this.server = builder.build().start();
        this.channel = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()))
                .usePlaintext()
                .build();
    }

    static TalkServer start(
            String yaml, Store store, UnaryOperator<WeirServerInterceptor.Builder> how, ServerInterceptor... earlier)
            throws Exception {
        // Answers that a test delays arrive when the test releases them, not at a timeout.
        WeirOptions patient =
                WeirOptions.defaults().withGuard(GuardOptions.defaults().withDeadline(Duration.ofSeconds(20)));
        Weir weir = Weir.of(configuration(yaml), store, new InMemorySettings(), patient);
        return new TalkServer(weir, how, List.of(earlier));
    }

    static Configuration configuration(String yaml) {
        return new ConfigurationReader(name -> null)
                .read("test.yaml", "version: 1\n" + yaml)
                .orThrow();
    }

    TalkGrpc.TalkBlockingStub blocking(String user) {
        return TalkGrpc.newBlockingStub(channel)
                .withDeadlineAfter(90, TimeUnit.SECONDS)
                .withInterceptors(as(user));
    }

    TalkGrpc.TalkStub async(String user) {
        return TalkGrpc.newStub(channel).withDeadlineAfter(90, TimeUnit.SECONDS).withInterceptors(as(user));
    }

    static io.grpc.ClientInterceptor as(String user) {
        return MetadataUtils.newAttachHeadersInterceptor(headers("x-user", user));
    }

    static Metadata headers(String name, String value) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
        return headers;
    }

    static Line line(String text) {
        return Line.newBuilder().setText(text).build();
    }

    @Override
    public void close() {
        try {
            channel.shutdownNow().awaitTermination(90, TimeUnit.SECONDS);
            server.shutdownNow().awaitTermination(90, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        limits.close();
        weir.close();
    }

    /** The limited service. */
    static final class Talk extends TalkGrpc.TalkImplBase {
        final AtomicInteger begun = new AtomicInteger();
        final AtomicInteger cancelled = new AtomicInteger();
        final AtomicInteger completed = new AtomicInteger();
        final List<String> heard = new CopyOnWriteArrayList<>();

        @Override
        public void say(Line request, StreamObserver<Line> answer) {
            begun.incrementAndGet();
            if (request.getText().equals("trip")) {
                throw new IllegalStateException("a failure that the test wants");
            }
            answer.onNext(request);
            answer.onCompleted();
        }

        @Override
        public void count(Line request, StreamObserver<Line> answer) {
            begun.incrementAndGet();
            int last = Integer.parseInt(request.getText());
            for (int i = 1; i <= last; i++) {
                answer.onNext(line(Integer.toString(i)));
            }
            if (last == 13) {
                answer.onError(Status.RESOURCE_EXHAUSTED.asRuntimeException(headers("grpc-retry-pushback-ms", "1")));
            } else {
                answer.onCompleted();
            }
        }

        @Override
        public StreamObserver<Line> collect(StreamObserver<Line> answer) {
            return new Ear(answer, false);
        }

        @Override
        public StreamObserver<Line> chat(StreamObserver<Line> answer) {
            return new Ear(answer, true);
        }

        private final class Ear implements StreamObserver<Line> {
            private final StreamObserver<Line> answer;
            private final boolean echoes;
            private final StringBuilder all = new StringBuilder();

            Ear(StreamObserver<Line> answer, boolean echoes) {
                this.answer = answer;
                this.echoes = echoes;
                begun.incrementAndGet();
            }

            @Override
            public void onNext(Line line) {
                heard.add(line.getText());
                if (line.getText().equals("trip")) {
                    throw new IllegalStateException("a failure that the test wants");
                }
                all.append(line.getText());
                if (echoes) {
                    answer.onNext(line);
                }
            }

            @Override
            public void onError(Throwable t) {
                cancelled.incrementAndGet();
            }

            @Override
            public void onCompleted() {
                completed.incrementAndGet();
                if (!echoes) {
                    answer.onNext(line(all.toString()));
                }
                answer.onCompleted();
            }
        }
    }
}

package dev.weir.server.rls;

import static dev.weir.server.rls.RateLimitClient.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.server.DelayedStore;
import dev.weir.server.ServerLimits;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hostile clients of the gRPC listener get a clear status, hold bounded memory, and spend nothing. */
@Tag("io")
@Timeout(300)
class RateLimitFloodTest {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};

    @Test
    void messages_outOfBounds_areRefusedAndSpendNothing() {
        try (RateLimitClient client = RateLimitClient.start()) {
            RateLimitRequest.Builder many = RateLimitRequest.newBuilder().setDomain("edge");
            for (int i = 0; i < 10_000; i++) {
                many.addDescriptors(RateLimitClient.descriptor("path", "/f"));
            }
            assertThat(many.build().getSerializedSize()).isLessThan(RateLimitServer.MAX_MESSAGE);
            assertStatus(client, many.build(), Status.Code.INVALID_ARGUMENT, "more than 256 descriptors");
            assertStatus(client, request("path", "x".repeat(1 << 20)), Status.Code.RESOURCE_EXHAUSTED, "maximum size");
            assertStatus(client, request("path", "x".repeat(9_000)), Status.Code.INVALID_ARGUMENT, "9000 characters");
            assertStatus(
                    client,
                    request("path", "/f").toBuilder().clearDomain().build(),
                    Status.Code.INVALID_ARGUMENT,
                    "domain must not be empty");
            assertStatus(
                    client,
                    RateLimitRequest.newBuilder().setDomain("edge").build(),
                    Status.Code.INVALID_ARGUMENT,
                    "descriptor list must not be empty");
            assertThat(raw(client.channel, new byte[] {10, 1, (byte) 0xff, 18, 0}))
                    .as("invalid UTF-8")
                    .isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(raw(client.channel, new byte[] {(byte) 123, (byte) 123, (byte) 123}))
                    .as("groups")
                    .isEqualTo(Status.Code.INVALID_ARGUMENT);
            RateLimitRequest huge =
                    request("path", "/f").toBuilder().setHitsAddend(-1).build();
            assertThat(client.stub.shouldRateLimit(huge).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
            var compressed = client.stub.withCompression("gzip");
            assertThatThrownBy(() -> compressed.shouldRateLimit(request("path", "x".repeat(1 << 20))))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
            assertThat(client.call("path", "/f").getStatuses(0).getLimitRemaining())
                    .isEqualTo(2);
            await().until(() -> client.server.server.heldBytes() == 0);
        }
    }

    @Test
    void calls_beyondTheMemoryBound_areRefused_andTheRestIsDecided() {
        try (RateLimitClient client = RateLimitClient.start(options -> options.withStore(DelayedStore.URI)
                .withLimits(ServerLimits.defaults().withRequestBytes(200_000)))) {
            List<CompletableFuture<Code>> calls = new ArrayList<>();
            RateLimitServiceGrpc.RateLimitServiceStub stub = RateLimitServiceGrpc.newStub(client.channel);
            for (int i = 0; i < 500; i++) {
                calls.add(RateLimitServiceTest.call(stub, request("user", "flood")));
            }
            await().until(() -> calls.stream().filter(CompletableFuture::isDone).count() + DelayedStore.WAITING.size()
                    == calls.size());
            assertThat(client.server.server.heldBytes()).isBetween(1L, 200_000L);
            int admitted = DelayedStore.WAITING.size();
            assertThat(admitted).isBetween(10, 200);
            DelayedStore.answerAll();
            int ok = 0;
            for (CompletableFuture<Code> call : calls) {
                try {
                    assertThat(call.join()).isEqualTo(Code.OK);
                    ok++;
                } catch (CompletionException e) {
                    assertThat(Status.fromThrowable(e).getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                }
            }
            assertThat(ok).isEqualTo(admitted);
            await().until(() -> client.server.server.heldBytes() == 0);
        }
    }

    @Test
    void cancelledCalls_releaseTheirMemory_andOthersGoOn() {
        try (RateLimitClient client = RateLimitClient.start()) {
            for (int i = 0; i < 3_000; i++) {
                ClientCall<byte[], byte[]> call =
                        client.channel.newCall(rawMethod(MethodType.BIDI_STREAMING), CallOptions.DEFAULT);
                call.start(new ClientCall.Listener<>() {}, new Metadata());
                call.cancel("reset", null);
            }
            assertThat(client.call("path", "/reset").getOverallCode()).isEqualTo(Code.OK);
            await().until(() -> client.server.server.heldBytes() == 0);
        }
    }

    @Test
    void connections_thatStaySilent_areClosed_andThoseBeyondTheCapAtOnce() throws Exception {
        ServerLimits limits = ServerLimits.defaults().withConnections(20).withBodyTime(Duration.ofSeconds(1));
        try (RateLimitClient client = RateLimitClient.start(options -> options.withLimits(limits))) {
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                Socket socket = new Socket(
                        client.address().getAddress(), client.address().getPort());
                if (i % 2 == 0) {
                    write(socket, new byte[] {'P'});
                }
                sockets.add(socket);
            }
            for (Socket socket : sockets) {
                assertClosed(socket);
            }
            assertThat(client.call("path", "/s").getOverallCode()).isEqualTo(Code.OK);
        }
    }

    @Test
    void streams_whoseMessageNeverComes_endTheirConnection() throws Exception {
        ServerLimits limits = ServerLimits.defaults().withBodyTime(Duration.ofSeconds(1));
        try (RateLimitClient client = RateLimitClient.start(options -> options.withLimits(limits))) {
            List<CompletableFuture<Status>> ended = new ArrayList<>();
            ManagedChannel slow = RateLimitClient.plain(client.address()).build();
            for (int i = 0; i < 100; i++) {
                ClientCall<byte[], byte[]> call =
                        slow.newCall(rawMethod(MethodType.BIDI_STREAMING), CallOptions.DEFAULT);
                CompletableFuture<Status> status = new CompletableFuture<>();
                call.start(
                        new ClientCall.Listener<>() {
                            @Override
                            public void onClose(Status closed, Metadata trailers) {
                                status.complete(closed);
                            }
                        },
                        new Metadata());
                ended.add(status);
            }
            for (CompletableFuture<Status> status : ended) {
                assertThat(status.get(200, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            }
            slow.shutdownNow();
            assertThat(client.call("path", "/m").getOverallCode()).isEqualTo(Code.OK);
            await().until(() -> client.server.server.heldBytes() == 0);
        }
    }

    /** Flow control does not bound them: gRPC allows more bytes while a message is incomplete. */
    @Test
    void messages_thatStayIncomplete_areBounded() throws Exception {
        long bound = 200_000;
        try (RateLimitClient client = RateLimitClient.start(
                options -> options.withLimits(ServerLimits.defaults().withRequestBytes(bound)))) {
            try (Socket socket =
                    new Socket(client.address().getAddress(), client.address().getPort())) {
                write(socket, PREFACE);
                write(socket, SETTINGS);
                for (int stream = 1; stream <= 9; stream += 2) {
                    write(socket, frame(1, 4, stream, callHeaders()));
                    write(socket, frame(0, 0, stream, new byte[] {0, 0, 3, (byte) 0xff, (byte) 0xff}));
                    for (int i = 0; i < 6; i++) {
                        write(socket, frame(0, 0, stream, new byte[10_000]));
                    }
                }
                assertThat(streamOfNextHeaders(socket))
                        .as("the first stream fits; one of the others is refused")
                        .isIn(3, 5, 7, 9);
                assertThat(client.server.server.heldBytes()).isBetween(50_000L, bound);
            }
            await().until(() -> client.server.server.heldBytes() == 0);
            assertThat(client.call("path", "/p").getOverallCode()).isEqualTo(Code.OK);
        }
    }

    /** The fields of a call in HPACK, without a dynamic table and without Huffman codes. */
    private static byte[] callHeaders() {
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        headers.writeBytes(new byte[] {(byte) 0x83, (byte) 0x86}); // :method POST, :scheme http
        headers.write(0x04); // :path
        text(headers, "/" + RateLimitServiceGrpc.getShouldRateLimitMethod().getFullMethodName());
        headers.write(0x01); // :authority
        text(headers, "x");
        headers.writeBytes(new byte[] {0x0f, 0x10}); // content-type
        text(headers, "application/grpc");
        headers.write(0x00);
        text(headers, "te");
        text(headers, "trailers");
        return headers.toByteArray();
    }

    private static void text(ByteArrayOutputStream headers, String text) {
        headers.write(text.length());
        headers.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    /** Reads frames up to the first with response headers, and returns its stream. */
    private static int streamOfNextHeaders(Socket socket) throws IOException {
        socket.setSoTimeout(200_000);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        while (true) {
            int lengthAndType = in.readInt();
            in.readByte();
            int stream = in.readInt();
            in.readFully(new byte[lengthAndType >>> 8]);
            if ((lengthAndType & 0xff) == 1) {
                return stream;
            }
        }
    }

    @Test
    void garbage_insteadOfHttp2_closesTheConnection() throws Exception {
        try (RateLimitClient client = RateLimitClient.start();
                Socket http1 = new Socket(
                        client.address().getAddress(), client.address().getPort());
                Socket frames = new Socket(
                        client.address().getAddress(), client.address().getPort())) {
            write(http1, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertClosed(http1);
            write(frames, PREFACE);
            write(frames, SETTINGS);
            write(frames, new byte[] {0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f});
            assertClosed(frames);
            assertThat(client.call("path", "/g").getOverallCode()).isEqualTo(Code.OK);
        }
    }

    private static void write(Socket socket, byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    private static void assertClosed(Socket socket) throws IOException {
        socket.setSoTimeout(200_000);
        try (InputStream in = socket.getInputStream()) {
            while (in.read() >= 0) {
                // What the server sends before it closes.
            }
        } catch (java.net.SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    private static void assertStatus(
            RateLimitClient client, RateLimitRequest request, Status.Code code, String description) {
        assertThatThrownBy(() -> client.stub.shouldRateLimit(request))
                .isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
                    assertThat(e.getStatus().getCode()).isEqualTo(code);
                    assertThat(e.getStatus().getDescription()).contains(description);
                });
    }

    /** Calls the method with any bytes as its message. */
    private static Status.Code raw(ManagedChannel channel, byte[] message) {
        CompletableFuture<Status.Code> code = new CompletableFuture<>();
        ClientCall<byte[], byte[]> call = channel.newCall(rawMethod(MethodType.UNARY), CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        code.complete(status.getCode());
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage(message);
        call.halfClose();
        return code.join();
    }

    /** The method with messages of any bytes. A client sends the headers of a unary call with its message only. */
    private static MethodDescriptor<byte[], byte[]> rawMethod(MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(
                        RateLimitServiceGrpc.getShouldRateLimitMethod().getFullMethodName())
                .setRequestMarshaller(new Bytes())
                .setResponseMarshaller(new Bytes())
                .build();
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }
}

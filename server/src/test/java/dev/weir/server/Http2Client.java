package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A client that speaks HTTP/2 over TLS frame by frame, and acknowledges nothing. */
public final class Http2Client implements AutoCloseable {
    public static final int DATA = 0;
    public static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int CONTINUATION = 9;
    public static final int END_STREAM = 1;
    public static final int END_HEADERS = 4;

    private static final int HANDSHAKES = 5;

    private final SSLSocket socket;
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();

    /** A received frame: its type, stream and payload. */
    public record Frame(int type, int stream, byte[] payload) {
        int code() {
            return ByteBuffer.wrap(payload).getInt();
        }
    }

    private Http2Client(SSLSocket socket) {
        this.socket = socket;
    }

    /**
     * Returns a client that has completed its TLS handshake and sends nothing more. It repeats a handshake that the
     * server ended: on a busy machine it may take longer than a short idle timeout.
     */
    static Http2Client silent(int port) throws Exception {
        for (int attempt = 1; ; attempt++) {
            SSLSocket socket = (SSLSocket)
                    TlsTest.trusting().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.setSoTimeout(30_000);
            try {
                socket.startHandshake();
            } catch (IOException e) {
                socket.close();
                if (attempt == HANDSHAKES) {
                    throw e;
                }
                continue;
            }
            assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
            return new Http2Client(socket);
        }
    }

    public static Http2Client open(int port) throws Exception {
        Http2Client client = silent(port);
        client.waiting.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        client.frame(SETTINGS, 0, 0, new byte[0]);
        return client;
    }

    /** A request's header block, with indexes of HPACK's static table. */
    public static byte[] request(String method, String path) {
        ByteBuffer block = ByteBuffer.allocate(16 + path.length());
        block.put((byte) (method.equals("POST") ? 0x83 : 0x82)).put((byte) 0x87);
        block.put((byte) 0x04).put((byte) path.length()).put(path.getBytes(StandardCharsets.US_ASCII));
        block.put((byte) 0x01).put((byte) 9).put("localhost".getBytes(StandardCharsets.US_ASCII));
        return java.util.Arrays.copyOf(block.array(), block.position());
    }

    public void frame(int type, int flags, int stream, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.put((byte) (payload.length >> 16)).putShort((short) payload.length);
        frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
        waiting.writeBytes(frame.array());
    }

    int waiting() {
        return waiting.size();
    }

    public void flush() throws IOException {
        socket.getOutputStream().write(waiting.toByteArray());
        socket.getOutputStream().flush();
        waiting.reset();
    }

    /** The next frame; null when the connection has ended. */
    @Nullable
    public Frame next() {
        try {
            InputStream in = socket.getInputStream();
            byte[] head = in.readNBytes(9);
            if (head.length < 9) {
                return null;
            }
            ByteBuffer fields = ByteBuffer.wrap(head);
            int length = fields.getInt() >>> 8;
            return new Frame(head[3], fields.getInt(5) & Integer.MAX_VALUE, in.readNBytes(length));
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is still open, and silent", e);
        } catch (IOException e) {
            return null;
        }
    }

    /** The next frame of this type; null if the connection ends before. */
    @Nullable
    public Frame next(int type) {
        for (Frame frame = next(); frame != null; frame = next()) {
            if (frame.type == type) {
                return frame;
            }
        }
        return null;
    }

    /** Reads until the server ends the connection. */
    void awaitEnd() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (next() != null) {
            assertThat(System.nanoTime()).as("the connection is still open").isLessThan(end);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

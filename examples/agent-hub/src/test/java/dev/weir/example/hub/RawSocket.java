package dev.weir.example.hub;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** A WebSocket client under full control of a test: it reads only on request. */
final class RawSocket implements AutoCloseable {
    static final int TEXT = 0x1;
    static final int PING = 0x9;
    private static final int FINAL = 0x80;
    private static final int CLOSE = 0x8;

    private final Socket socket = new Socket();

    RawSocket(int port) throws IOException {
        // Small, so that the other end soon notices unread data.
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        socket.setSoTimeout(90_000);
    }

    /** Returns a client that has identified itself. */
    static RawSocket identified(int port, String token) throws IOException {
        RawSocket raw = new RawSocket(port);
        raw.upgrade();
        raw.text("{\"type\":\"identify\",\"token\":\"" + token + "\"}");
        String answer = new String(raw.readFrame().payload, StandardCharsets.UTF_8);
        if (!answer.contains("identified")) {
            throw new AssertionError(answer);
        }
        return raw;
    }

    void upgrade() throws IOException {
        write("GET /ws HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            head.append((char) read());
        }
        if (!head.toString().startsWith("HTTP/1.1 101 ")) {
            throw new AssertionError(head);
        }
    }

    void write(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void text(String text) throws IOException {
        write(frame(TEXT, text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns a frame as a client sends it, with a zero mask. */
    static byte[] frame(int opcode, byte[] payload) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(FINAL | opcode);
        if (payload.length < 126) {
            bytes.write(0x80 | payload.length);
        } else {
            bytes.write(0x80 | 126);
            bytes.write(payload.length >> 8);
            bytes.write(payload.length);
        }
        bytes.writeBytes(new byte[4]);
        bytes.writeBytes(payload);
        return bytes.toByteArray();
    }

    record Received(int opcode, byte[] payload) {}

    Received readFrame() throws IOException {
        int opcode = read() & 0xf;
        int length = read();
        if (length == 126) {
            length = (read() << 8) | read();
        }
        byte[] payload = new byte[length];
        for (int i = 0; i < length; i++) {
            payload[i] = (byte) read();
        }
        return new Received(opcode, payload);
    }

    /** Reads to the end and returns the hub's close code. */
    int closeCode() throws IOException {
        Received frame = readFrame();
        while (frame.opcode != CLOSE) {
            frame = readFrame();
        }
        return ((frame.payload[0] & 0xff) << 8) | (frame.payload[1] & 0xff);
    }

    /** Whether the other end has closed. Reads and drops remaining data. */
    boolean isCutOff() {
        try {
            socket.setSoTimeout(10);
            InputStream in = socket.getInputStream();
            byte[] buffer = new byte[65_536];
            while (true) {
                if (in.read(buffer) < 0) {
                    return true;
                }
            }
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    String readAll() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    private int read() throws IOException {
        int next = socket.getInputStream().read();
        if (next < 0) {
            throw new IOException("the connection has ended");
        }
        return next;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

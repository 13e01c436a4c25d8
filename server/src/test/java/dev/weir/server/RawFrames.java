package dev.weir.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** WebSocket frames that no client library would send, and connections that cost next to nothing. */
final class RawFrames {
    private RawFrames() {}

    /** Opens a connection and completes the WebSocket handshake. */
    static SocketChannel open(int port) throws IOException {
        SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.write(ByteBuffer.wrap(
                ("GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII)));
        StringBuilder head = new StringBuilder();
        ByteBuffer some = ByteBuffer.allocate(1024);
        while (head.indexOf("\r\n\r\n") < 0 && channel.read(some.clear()) > 0) {
            head.append(StandardCharsets.US_ASCII.decode(some.flip()));
        }
        if (head.indexOf("HTTP/1.1 101") != 0) {
            throw new IOException("not upgraded: " + head);
        }
        return channel;
    }

    static byte[] text(String text) {
        return frame(0x81, text.getBytes(StandardCharsets.UTF_8));
    }

    /** A masked frame, with this first byte. */
    static byte[] frame(int first, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(payload.length + 8);
        frame.put((byte) first);
        if (payload.length < 126) {
            frame.put((byte) (0x80 | payload.length));
        } else {
            frame.put((byte) (0x80 | 126)).putShort((short) payload.length);
        }
        // A mask of zeros leaves the payload unchanged.
        frame.putInt(0).put(payload);
        byte[] bytes = new byte[frame.flip().remaining()];
        frame.get(bytes);
        return bytes;
    }
}

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sends checks as fast as the server responds, over HTTP or over WebSockets, with one thread that treats both alike:
 * {@code Load http|ws PORT CONNECTIONS DEPTH SECONDS}. Each connection sends DEPTH checks at once, waits for all their
 * responses, and sends the next. Prints checks a second and the 99th percentile of such a batch's duration, in
 * milliseconds. Ends with an error at the first response that does not admit the check by the configured limit.
 */
public final class Load {
    private static final int USERS = 1000;
    private static final int MOST_BATCHES = 1 << 22;
    private static final int MOST_SECONDS_WITHOUT_ANSWER = 30;
    private static final byte[] OK = ascii("HTTP/1.1 200 ");
    private static final String ADMITTED = "\"allowed\":true,\"reason\":null,\"limit\":\"general\",";

    private final boolean isHttp;
    private final byte[] admitted;
    private final int depth;
    private final long[] batchNanos = new long[MOST_BATCHES];
    private int batches;

    private Load(boolean isHttp, int depth) {
        this.isHttp = isHttp;
        this.admitted = ascii(isHttp ? "{" + ADMITTED : "{\"type\":\"allowed\"," + ADMITTED);
        this.depth = depth;
    }

    public static void main(String[] args) throws IOException {
        Load load = new Load(args[0].equals("http"), Integer.parseInt(args[3]));
        int seconds = Integer.parseInt(args[4]);
        double took = load.run(Integer.parseInt(args[1]), Integer.parseInt(args[2]), seconds);
        long[] sorted = Arrays.copyOf(load.batchNanos, Math.min(load.batches, MOST_BATCHES));
        Arrays.sort(sorted);
        System.out.printf(
                "%.0f %.2fms%n", load.batches * load.depth / took, sorted[(int) (sorted.length * 0.99)] / 1e6);
    }

    /** Sends for so many seconds, or longer if no batch is complete by then; returns the duration in seconds. */
    private double run(int port, int connections, int seconds) throws IOException {
        Selector selector = Selector.open();
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            all.add(new Connection(port, i, selector));
        }
        long begun = System.nanoTime();
        for (Connection connection : all) {
            connection.send();
        }
        while (seconds(begun) < seconds || batches == 0) {
            if (seconds(begun) > seconds + MOST_SECONDS_WITHOUT_ANSWER) {
                throw new IOException("no answer within " + (int) seconds(begun) + " s");
            }
            selector.select(100);
            for (SelectionKey key : selector.selectedKeys()) {
                ((Connection) key.attachment()).read();
            }
            selector.selectedKeys().clear();
        }
        return seconds(begun);
    }

    private static double seconds(long begun) {
        return (System.nanoTime() - begun) / 1e9;
    }

    /**
     * One connection. Its requests are prepared in advance; it compares every response with an admission, and counts
     * it.
     */
    private final class Connection {
        private final SocketChannel channel;
        private final ByteBuffer[] sent = new ByteBuffer[USERS / 10];
        private final ByteBuffer received = ByteBuffer.allocate(256 * 1024);
        private int at;
        private int answers;
        private long begun;

        Connection(int port, int number, Selector selector) throws IOException {
            channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            if (!isHttp) {
                upgrade();
            }
            for (int i = 0; i < sent.length; i++) {
                ByteBuffer batch = ByteBuffer.allocateDirect(depth * 256);
                for (int j = 0; j < depth; j++) {
                    int user = (number * 31 + i * depth + j) % USERS + 1;
                    String body = "{\"attributes\":{\"user\":\"user-" + user + "\"}}";
                    batch.put(isHttp ? request(body) : frame(body));
                }
                sent[i] = batch.flip();
            }
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, this);
        }

        /** The request as wrk sends it. */
        private byte[] request(String body) {
            return ascii("POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                    + "Content-Length: " + body.length() + "\r\n\r\n" + body);
        }

        private byte[] frame(String body) {
            byte[] text = ascii(body);
            byte[] frame = new byte[6 + text.length];
            byte[] mask = {11, 22, 33, 44};
            frame[0] = (byte) 0x81;
            frame[1] = (byte) (0x80 | text.length);
            System.arraycopy(mask, 0, frame, 2, 4);
            for (int i = 0; i < text.length; i++) {
                frame[6 + i] = (byte) (text[i] ^ mask[i & 3]);
            }
            return frame;
        }

        private void upgrade() throws IOException {
            channel.write(ByteBuffer.wrap(ascii("GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                    + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")));
            ByteBuffer one = ByteBuffer.allocate(1);
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0 && channel.read(one.clear()) > 0) {
                head.append((char) one.get(0));
            }
            if (!head.toString().startsWith("HTTP/1.1 101")) {
                throw new IOException("not upgraded: " + head);
            }
        }

        void send() throws IOException {
            answers = 0;
            begun = System.nanoTime();
            ByteBuffer batch = sent[at++ % sent.length].rewind();
            while (batch.hasRemaining()) {
                channel.write(batch);
            }
        }

        void read() throws IOException {
            if (channel.read(received) < 0) {
                throw new IOException("the server has closed");
            }
            received.flip();
            while (isHttp ? skipResponse() : skipFrame()) {
                answers++;
            }
            received.compact();
            if (answers == depth) {
                batchNanos[batches++ % MOST_BATCHES] = System.nanoTime() - begun;
                send();
            }
        }

        private boolean skipResponse() throws IOException {
            byte[] bytes = received.array();
            int start = received.position();
            int length = 0;
            int line = start;
            for (int i = start; i + 1 < received.limit(); i++) {
                if (bytes[i] != '\r') {
                    continue;
                }
                if (i == line) {
                    if (i + 2 + length > received.limit()) {
                        return false;
                    }
                    check(i + 2, length);
                    received.position(i + 2 + length);
                    return true;
                }
                if (line == start && !startsWith(start, i - start, OK)) {
                    throw new IOException("expected 200, found " + text(start, received.limit() - start));
                }
                if ((bytes[line] | 0x20) == 'c' && i - line > 15 && (bytes[line + 8] | 0x20) == 'l' && bytes[line + 14] == ':') {
                    length = 0;
                    for (int d = line + 16; d < i; d++) {
                        length = length * 10 + bytes[d] - '0';
                    }
                }
                line = i + 2;
                i++;
            }
            return false;
        }

        private boolean skipFrame() throws IOException {
            int start = received.position();
            if (received.remaining() < 4) {
                return false;
            }
            if (received.get(start) != (byte) 0x81) {
                throw new IOException("not a text frame");
            }
            int length = received.get(start + 1) & 0x7f;
            int head = length == 126 ? 4 : 2;
            length = length == 126 ? received.getShort(start + 2) & 0xffff : length;
            if (received.remaining() < head + length) {
                return false;
            }
            check(start + head, length);
            received.position(start + head + length);
            return true;
        }

        private void check(int from, int length) throws IOException {
            if (!startsWith(from, length, admitted)) {
                throw new IOException("expected " + new String(admitted, StandardCharsets.US_ASCII) + "..., found "
                        + text(from, length));
            }
        }

        private boolean startsWith(int from, int length, byte[] prefix) {
            return length >= prefix.length
                    && Arrays.equals(received.array(), from, from + prefix.length, prefix, 0, prefix.length);
        }

        private String text(int from, int length) {
            return new String(received.array(), from, Math.min(length, 500), StandardCharsets.US_ASCII);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.measure.MeasurementFailedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Repeats one command on many connections, each with several in flight, to measure Redis without any client library.
 * {@code redis-benchmark} does the same, but ends an argument at its first zero byte, which the store's calls have.
 */
final class RawLoad {
    private static final int CONNECTIONS = 64;

    private final int port;
    private final byte[] command;
    private final ReplyCheck admission;
    private final int pipeline;

    /** Whether the reply that begins at an index admits the check. */
    interface ReplyCheck {
        boolean test(ByteBuffer reply, int begin);
    }

    RawLoad(int port, List<byte[]> words, ReplyCheck admission, int pipeline) {
        this.port = port;
        this.command = encoded(words);
        this.admission = admission;
        this.pipeline = pipeline;
    }

    /** Returns the replies per second during the measurement. */
    double perSecond(long warmMillis, long measureMillis) throws IOException {
        try (Selector selector = Selector.open()) {
            List<Connection> connections = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                connections.add(new Connection(selector));
            }
            try {
                for (Connection each : connections) {
                    each.send();
                }
                drive(selector, warmMillis);
                long before = answered(connections);
                long begun = System.nanoTime();
                drive(selector, measureMillis);
                return (answered(connections) - before) * 1e9 / (System.nanoTime() - begun);
            } finally {
                for (Connection each : connections) {
                    each.channel.close();
                }
            }
        }
    }

    private static void drive(Selector selector, long millis) throws IOException {
        long end = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < end) {
            selector.select(
                    key -> {
                        try {
                            ((Connection) key.attachment()).receive();
                        } catch (IOException e) {
                            throw new IllegalStateException(e.getMessage(), e);
                        }
                    },
                    millis);
        }
    }

    private static long answered(List<Connection> connections) {
        return connections.stream().mapToLong(each -> each.answered).sum();
    }

    /** The end of the reply that begins at an index; negative if it is incomplete. */
    private static int end(ByteBuffer in, int begin) {
        int line = begin;
        while (line < in.limit() && in.get(line) != '\n') {
            line++;
        }
        if (line == in.limit()) {
            return -1;
        }
        byte kind = in.get(begin);
        int after = line + 1;
        if (kind == '-') {
            throw MeasurementFailedException.wrongAnswer(
                    "redis/raw", "admitted", text(in, begin + 1, line).strip());
        }
        if (kind == '$') {
            after += Integer.parseInt(text(in, begin + 1, line - 1)) + 2;
            return after <= in.limit() ? after : -1;
        }
        if (kind == '*') {
            for (int left = Integer.parseInt(text(in, begin + 1, line - 1)); left > 0 && after >= 0; left--) {
                after = end(in, after);
            }
        }
        return after;
    }

    private static String text(ByteBuffer in, int begin, int end) {
        byte[] bytes = new byte[end - begin];
        in.get(begin, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] encoded(List<byte[]> words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("*" + words.size() + "\r\n").getBytes(StandardCharsets.US_ASCII));
        for (byte[] word : words) {
            out.writeBytes(("$" + word.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.writeBytes(word);
            out.writeBytes(new byte[] {'\r', '\n'});
        }
        return out.toByteArray();
    }

    private final class Connection {
        private final SocketChannel channel;
        private final ByteBuffer in = ByteBuffer.allocateDirect(64 * 1024);
        private final ByteBuffer out = ByteBuffer.allocateDirect(command.length * pipeline);
        private long answered;
        private int underWay;

        private Connection(Selector selector) throws IOException {
            channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, this);
        }

        private void send() throws IOException {
            out.clear();
            for (int i = 0; i < pipeline; i++) {
                out.put(command);
            }
            out.flip();
            while (out.hasRemaining()) {
                channel.write(out);
            }
            underWay = pipeline;
        }

        private void receive() throws IOException {
            if (channel.read(in) < 0) {
                throw new IOException("Redis ended the connection");
            }
            in.flip();
            for (int end = end(in, 0); end >= 0; end = end(in, end)) {
                if (!admission.test(in, in.position())) {
                    throw MeasurementFailedException.wrongAnswer("redis/raw", "admitted", text(in, in.position(), end));
                }
                in.position(end);
                answered++;
                underWay--;
            }
            in.compact();
            // All calls in flight complete before the next are sent, as in redis-benchmark.
            if (underWay == 0) {
                send();
            }
        }
    }
}

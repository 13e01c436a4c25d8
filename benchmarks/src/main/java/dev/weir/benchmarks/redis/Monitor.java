package dev.weir.benchmarks.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Hears what clients send to Redis, so that it can be sent once more by others. */
final class Monitor implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 5_000;

    private final Socket socket;
    private final InputStream in;

    Monitor(int port) throws IOException {
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        this.in = new BufferedInputStream(socket.getInputStream());
        socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
        String unused = line();
    }

    /** The words of the next call of a command, in small letters. They may be any bytes. */
    List<byte[]> next(String command) throws IOException {
        while (true) {
            String line = line();
            int begin = line.indexOf("] \"");
            if (begin > 0
                    && line.substring(begin + 3)
                            .toLowerCase(java.util.Locale.ROOT)
                            .startsWith(command)) {
                return words(line.substring(begin + 2));
            }
        }
    }

    /** The words of a line: each in quotes, with {@code \} before what is not printed as it is. */
    private static List<byte[]> words(String line) {
        List<byte[]> words = new ArrayList<>();
        ByteArrayOutputStream word = new ByteArrayOutputStream();
        boolean inside = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                inside = !inside;
                if (!inside) {
                    words.add(word.toByteArray());
                    word.reset();
                }
            } else if (inside && c == '\\') {
                char escape = line.charAt(++i);
                if (escape == 'x') {
                    word.write(Integer.parseInt(line.substring(i + 1, i + 3), 16));
                    i += 2;
                } else {
                    int known = "nrtab".indexOf(escape);
                    word.write(known < 0 ? escape : "\n\r\t\007\b".charAt(known));
                }
            } else if (inside) {
                word.write(c);
            }
        }
        return words;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("Redis ended the connection");
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

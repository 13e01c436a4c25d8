package dev.weir.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real Redis that a test starts, holds up, kills and starts again. */
final class RedisProcess implements AutoCloseable {
    private static final Path BINARY = extract();

    private final Path directory;
    private final int port;
    private final List<String> arguments;
    private Process process;

    private RedisProcess(int port, List<String> arguments) throws IOException {
        this.directory = Files.createTempDirectory("weir-redis");
        this.port = port;
        this.arguments = arguments;
        this.process = launch();
    }

    /** A Redis on a free port, in memory only; further arguments as on its command line. */
    static RedisProcess start(String... arguments) {
        return startOn(freePort(), arguments);
    }

    static RedisProcess startOn(int port, String... arguments) {
        try {
            RedisProcess redis = new RedisProcess(port, List.of(arguments));
            redis.awaitPort();
            return redis;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    RedisStoreOptions options() {
        return RedisStoreOptions.parse(uri());
    }

    /** Ends it as a power cut would. */
    void kill() {
        process.destroyForcibly();
        await(process);
    }

    /** Starts it again after it was killed. */
    void restart() {
        try {
            process = launch();
            awaitPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Holds it up: it keeps its connections and answers nobody. */
    void stop() {
        signal("STOP");
    }

    void goOn() {
        signal("CONT");
    }

    @Override
    public void close() {
        goOn();
        kill();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A port that nobody listens on; the cluster's own is 10,000 above it. */
    static int freePort() {
        while (true) {
            try (ServerSocket socket = new ServerSocket(0)) {
                if (socket.getLocalPort() < 55_000) {
                    return socket.getLocalPort();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(BINARY.toString());
        boolean isSentinel = !arguments.isEmpty() && arguments.get(0).endsWith(".conf");
        if (isSentinel) {
            command.addAll(arguments);
        }
        command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1", "--dir", directory.toString()));
        if (!isSentinel) {
            command.addAll(List.of("--save", "", "--appendonly", "no"));
            command.addAll(arguments);
        }
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("redis.log").toFile())
                .start();
    }

    private void awaitPort() throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", port), 200);
                return;
            } catch (IOException e) {
                if (System.nanoTime() > end || !process.isAlive()) {
                    throw new IOException(
                            "Redis did not start: " + Files.readString(directory.resolve("redis.log")), e);
                }
                Thread.onSpinWait();
            }
        }
    }

    private void signal(String name) {
        try {
            await(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(Process process) {
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Redis as the tests bring it; another one, or Valkey, where {@code -Dweir.redis.server} names it. */
    private static Path extract() {
        String other = System.getProperty("weir.redis.server", "");
        if (!other.isEmpty()) {
            return Path.of(other);
        }
        String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
        String name = "redis-server-7.0.15-" + system + (machine.equals("aarch64") ? "-arm64" : "-amd64");
        try (InputStream in = redis.embedded.RedisServer.class.getResourceAsStream("/" + name)) {
            Path file = Files.createTempFile("redis-server", "");
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            file.toFile().setExecutable(true);
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

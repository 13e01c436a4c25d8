package dev.weir.store.durableobjects;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The worker on the real Workers runtime, which a test starts, holds up, kills and starts again. */
final class WorkerProcess implements AutoCloseable {
    static final String TOKEN = "a-token-that-nobody-may-see";

    /** A disk would only make it slower: what it loses in a power cut, no test can see. */
    private static final Path MEMORY = Path.of("/dev/shm");

    private static final Path DISK = Path.of(System.getProperty("java.io.tmpdir"));

    private final Path directory;
    private final int port;
    private final String token;
    private final boolean testClock;
    private Process process;

    private WorkerProcess(String token, boolean testClock) throws IOException {
        this.directory = Files.createTempDirectory(Files.isWritable(MEMORY) ? MEMORY : DISK, "weir-worker");
        this.port = freePort();
        this.token = token;
        this.testClock = testClock;
        this.process = launch();
        awaitPort();
    }

    /** One that takes a test's time. */
    static WorkerProcess withTestClock() {
        return start(TOKEN, true);
    }

    /** One as in production. */
    static WorkerProcess start() {
        return start(TOKEN, false);
    }

    static WorkerProcess start(String token, boolean testClock) {
        try {
            return new WorkerProcess(token, testClock);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String uri() {
        return "durable-objects+http://127.0.0.1:" + port + "?token=" + TOKEN;
    }

    DurableObjectsStoreOptions options() {
        return DurableObjectsStoreOptions.parse(uri());
    }

    /** Ends it as a power cut would. */
    void kill() {
        process.destroyForcibly();
        await(process);
    }

    /** Starts it again after it was killed, on what it left. */
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
        kill();
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private Process launch() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        "worker/serve",
                        "--port",
                        Integer.toString(port),
                        "--data",
                        directory.resolve("data").toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("worker.log").toFile());
        builder.environment().put("WEIR_TOKEN", token);
        builder.environment().put("WEIR_TEST_CLOCK", testClock ? "on" : "");
        return builder.start();
    }

    /** Installing the runtime may take a while. */
    private void awaitPort() throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", port), 200);
                return;
            } catch (IOException e) {
                if (System.nanoTime() > end || !process.isAlive()) {
                    process.destroyForcibly();
                    throw new IOException("the worker did not start: " + log(), e);
                }
                LockSupport.parkNanos(2_000_000);
            }
        }
    }

    /** All that it has said. */
    String log() {
        try {
            return Files.readString(directory.resolve("worker.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
}

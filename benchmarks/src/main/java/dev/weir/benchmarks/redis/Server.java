package dev.weir.benchmarks.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Redis for one measurement, in memory only: the machine's own where it has one, else the tests'. */
final class Server implements AutoCloseable {
    private static final int MOST_ATTEMPTS = 10;

    private final Path directory;
    private final Process process;
    private final int port;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    /** @param arguments further ones, as on Redis's command line */
    Server(String... arguments) throws IOException {
        this.directory = Files.createTempDirectory("redis");
        Path binary = binary();
        // Another process may take the port before Redis does.
        for (int attempt = 1; ; attempt++) {
            int free = freePort();
            Process started = start(binary, free, arguments);
            if (isListening(started, free)) {
                this.port = free;
                this.process = started;
                break;
            }
            started.destroyForcibly().onExit().join();
            if (attempt == MOST_ATTEMPTS) {
                throw new IOException("Redis did not start: " + Files.readString(directory.resolve("log")));
            }
        }
        this.client = RedisClient.create(uri());
        this.connection = client.connect();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private Process start(Path binary, int port, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                binary.toString(),
                "--port",
                "" + port,
                "--bind",
                "127.0.0.1",
                "--dir",
                directory.toString(),
                "--save",
                "",
                "--appendonly",
                "no"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }

    int port() {
        return port;
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Microseconds of CPU that Redis has used so far. */
    double cpuMicros() {
        String info = connection.sync().info("cpu");
        return 1e6 * (field(info, "used_cpu_user") + field(info, "used_cpu_sys"));
    }

    /** How many commands clients have sent so far; what scripts call is not among them. */
    double commands() {
        return calls("eval|evalsha|ping|wait");
    }

    /** How many scripts clients have called so far. */
    double scriptCalls() {
        return calls("eval|evalsha");
    }

    private double calls(String commands) {
        return connection
                .sync()
                .info("commandstats")
                .lines()
                .filter(line -> line.matches("cmdstat_(" + commands + "):.*"))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("^[^:]*:calls=(\\d+),.*", "$1")))
                .sum();
    }

    /** Its version and the allocator it was built with. */
    String version() {
        String server = text(connection.sync().info("server"), "redis_version");
        return server + " with " + text(connection.sync().info("memory"), "mem_allocator");
    }

    double usedMemory() {
        return field(connection.sync().info("memory"), "used_memory");
    }

    void set(String key, String value) {
        connection.sync().set(key, value);
    }

    /** Loads a script; answers its digest. */
    String load(String script) {
        return connection.sync().scriptLoad(script);
    }

    /** Waits until it has all that its master has. */
    void awaitMaster() throws InterruptedException {
        for (int attempt = 0; !connection.sync().info("replication").contains("master_link_status:up"); attempt++) {
            if (attempt > 1_000) {
                throw new IllegalStateException("the replica does not follow its master");
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    long size() {
        return connection.sync().dbsize();
    }

    void flush() {
        connection.sync().flushall();
    }

    long memoryUsage(String key) {
        return Objects.requireNonNull(connection.sync().memoryUsage(key));
    }

    List<String> keys(String pattern) {
        return connection.sync().keys(pattern);
    }

    @Override
    public void close() throws IOException {
        client.shutdown();
        process.destroyForcibly().onExit().join();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static double field(String info, String name) {
        return Double.parseDouble(text(info, name));
    }

    private static String text(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElseThrow();
    }

    /** Waits until the process listens; false if it ended, or if another one listens at the port. */
    private static boolean isListening(Process process, int port) {
        String own = "process_id:" + process.pid() + "\r";
        while (process.isAlive()) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(10_000);
                socket.getOutputStream().write("INFO server\r\nQUIT\r\n".getBytes(StandardCharsets.US_ASCII));
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).contains(own);
            } catch (IOException e) {
                LockSupport.parkNanos(10_000_000);
            }
        }
        return false;
    }

    private Path binary() throws IOException {
        Path server = onPath("redis-server");
        if (server != null) {
            return server;
        }
        // Debian's redis-tools has the whole server under this name; it goes by the name it is called with.
        Path tool = onPath("redis-check-rdb");
        return tool == null ? extracted() : Files.createSymbolicLink(directory.resolve("redis-server"), tool);
    }

    private static @Nullable Path onPath(String name) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            Path file = Path.of(folder, name);
            if (Files.isExecutable(file)) {
                return file;
            }
        }
        return null;
    }

    private Path extracted() throws IOException {
        boolean isArm = System.getProperty("os.arch").equals("aarch64");
        boolean isMac = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac");
        String name = "/redis-server-7.0.15-" + (isMac ? "darwin" : "linux") + (isArm ? "-arm64" : "-amd64");
        Path file = directory.resolve("redis-server");
        try (InputStream in = Objects.requireNonNull(Server.class.getResourceAsStream(name), name)) {
            Files.copy(in, file);
        }
        if (!file.toFile().setExecutable(true)) {
            throw new IOException(file + " cannot be made executable");
        }
        return file;
    }
}

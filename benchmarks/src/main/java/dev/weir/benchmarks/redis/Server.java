package dev.weir.benchmarks.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Redis for one measurement, in memory only: the machine's own where it has one, else the tests'. */
final class Server implements AutoCloseable {
    private final Path directory;
    private final Process process;
    private final int port;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    /** @param arguments further ones, as on Redis's command line */
    Server(String... arguments) throws IOException {
        this.directory = Files.createTempDirectory("redis");
        try (ServerSocket socket = new ServerSocket(0)) {
            this.port = socket.getLocalPort();
        }
        List<String> command = new ArrayList<>(List.of(
                binary().toString(),
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
        this.process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        awaitPort();
        this.client = RedisClient.create(uri());
        this.connection = client.connect();
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
        String stats = connection.sync().info("commandstats");
        return stats.lines()
                .filter(line -> line.matches("cmdstat_(eval|evalsha|get|set|ping|wait)[:|].*"))
                .filter(line -> !line.startsWith("cmdstat_get") && !line.startsWith("cmdstat_set"))
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

    private void awaitPort() throws IOException {
        for (int attempt = 0; ; attempt++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
                return;
            } catch (IOException e) {
                if (attempt > 1_000 || !process.isAlive()) {
                    throw e;
                }
                java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
            }
        }
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

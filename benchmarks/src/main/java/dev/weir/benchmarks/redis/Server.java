package dev.weir.benchmarks.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** A Redis for one measurement, in memory only. */
final class Server implements AutoCloseable {
    private final Path binary;
    private final Process process;
    private final int port;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    Server() throws IOException {
        this.binary = extracted();
        try (ServerSocket socket = new ServerSocket(0)) {
            this.port = socket.getLocalPort();
        }
        this.process = new ProcessBuilder(List.of(
                        binary.toString(),
                        "--port",
                        "" + port,
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--appendonly",
                        "no"))
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
        process.destroyForcibly();
        Files.deleteIfExists(binary);
    }

    private static double field(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name + ":"))
                .mapToDouble(line ->
                        Double.parseDouble(line.substring(name.length() + 1).strip()))
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

    private static Path extracted() throws IOException {
        boolean isArm = System.getProperty("os.arch").equals("aarch64");
        boolean isMac = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac");
        String name = "/redis-server-7.0.15-" + (isMac ? "darwin" : "linux") + (isArm ? "-arm64" : "-amd64");
        Path file = Files.createTempFile("redis-server", "");
        try (InputStream in = Objects.requireNonNull(Server.class.getResourceAsStream(name), name)) {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        }
        if (!file.toFile().setExecutable(true)) {
            throw new IOException(file + " cannot be made executable");
        }
        return file;
    }
}

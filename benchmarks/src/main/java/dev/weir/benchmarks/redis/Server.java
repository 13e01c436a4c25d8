package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.load.Usage;
import dev.weir.fixture.Readiness;
import dev.weir.fixture.RedisProcess;
import dev.weir.fixture.ServerProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Redis for one measurement, in memory only: the machine's own if it has one, else the tests'. */
final class Server implements AutoCloseable {
    private final ServerProcess process;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    /** @param arguments further ones, as on Redis's command line */
    Server(String... arguments) {
        this.process = ServerProcess.start(
                "redis",
                (port, directory) -> command(port, directory, arguments),
                Readiness.answers("PING\r\n", line -> !line.startsWith("-LOADING")));
        this.client = RedisClient.create(uri());
        this.connection = client.connect();
    }

    private static ProcessBuilder command(int port, Path directory, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(binary(directory).toString(), "--port", "" + port));
        command.addAll(
                List.of("--bind", "127.0.0.1", "--dir", directory.toString(), "--save", "", "--appendonly", "no"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    int port() {
        return process.port();
    }

    String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /** The work for its clients so far; commands called by scripts are not counted. */
    Usage usage() {
        String cpu = redis().info("cpu");
        String calls = redis().info("commandstats");
        return new Usage(
                1e6 * (field(cpu, "used_cpu_user") + field(cpu, "used_cpu_sys")),
                calls(calls, "eval|evalsha|ping|wait"),
                calls(calls, "eval|evalsha"));
    }

    private static double calls(String statistics, String commands) {
        return statistics
                .lines()
                .filter(line -> line.matches("cmdstat_(" + commands + "):.*"))
                .mapToDouble(line -> Double.parseDouble(line.replaceAll("^[^:]*:calls=(\\d+),.*", "$1")))
                .sum();
    }

    /** Its version and the allocator it was built with. */
    String version() {
        return text(redis().info("server"), "redis_version") + " with " + text(redis().info("memory"), "mem_allocator");
    }

    double usedMemory() {
        return field(redis().info("memory"), "used_memory");
    }

    RedisCommands<String, String> redis() {
        return connection.sync();
    }

    /**
     * The words of the last script call with a key that ends so; words may be any bytes. They come from Redis's slow
     * log, which is set to keep every command.
     */
    List<byte[]> lastScriptCall(String key, Runnable check) {
        redis().configSet("slowlog-log-slower-than", "0");
        check.run();
        redis().configSet("slowlog-log-slower-than", "-1");
        return slowLog()
                .filter(words -> text(words.get(0)).equalsIgnoreCase("evalsha"))
                .filter(words -> words.stream().anyMatch(word -> text(word).endsWith(key)))
                .findFirst()
                .orElseThrow();
    }

    /** The words of the latest 128 commands in Redis's slow log, the newest first. */
    @SuppressWarnings("unchecked")
    private Stream<List<byte[]>> slowLog() {
        try (StatefulRedisConnection<byte[], byte[]> bytes = client.connect(ByteArrayCodec.INSTANCE)) {
            return bytes.sync().slowlogGet(128).stream().map(entry -> (List<byte[]>) ((List<?>) entry).get(3));
        }
    }

    private static String text(byte[] word) {
        return new String(word, StandardCharsets.ISO_8859_1);
    }

    /** Waits until the replica has caught up with its master. */
    void awaitMaster() throws InterruptedException {
        for (int attempt = 0; !redis().info("replication").contains("master_link_status:up"); attempt++) {
            if (attempt > 1_000) {
                throw new IllegalStateException("the replica does not follow its master");
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    @Override
    public void close() {
        client.shutdown();
        process.close();
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

    private static Path binary(Path directory) throws IOException {
        Path server = onPath("redis-server");
        if (server != null) {
            return server;
        }
        // Debian's redis-tools has the whole server under this name; the binary acts by the name it is called with.
        Path tool = onPath("redis-check-rdb");
        return tool == null ? RedisProcess.binary() : Files.createSymbolicLink(directory.resolve("redis-server"), tool);
    }

    private static @Nullable Path onPath(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }
}

package dev.weir.outside;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import redis.embedded.RedisServer;
import redis.embedded.exceptions.EmbeddedRedisException;

/** A Redis and a PostgreSQL for all applications; they end with this JVM. */
final class Servers {
    private static final int ATTEMPTS = 5;
    private static final RedisServer REDIS = startRedis();
    private static final EmbeddedPostgres POSTGRESQL = startPostgresql();

    private Servers() {}

    static String redis() {
        return "redis://127.0.0.1:" + REDIS.ports().get(0);
    }

    static EmbeddedPostgres postgresql() {
        return POSTGRESQL;
    }

    /** Another process may take the port before Redis does; then another port is tried. */
    private static RedisServer startRedis() {
        for (int attempt = 1; ; attempt++) {
            try {
                RedisServer server = RedisServer.builder()
                        .port(freePort())
                        .setting("bind 127.0.0.1")
                        .setting("save \"\"")
                        .build();
                server.start();
                atEnd(server::stop);
                return server;
            } catch (EmbeddedRedisException | IOException e) {
                if (attempt == ATTEMPTS) {
                    throw new IllegalStateException("Redis did not start", e);
                }
            }
        }
    }

    private static EmbeddedPostgres startPostgresql() {
        try {
            EmbeddedPostgres server =
                    EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
            atEnd(() -> {
                try {
                    server.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("PostgreSQL did not start", e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void atEnd(Runnable stop) {
        Runtime.getRuntime().addShutdownHook(new Thread(stop));
    }
}

package dev.weir.outside;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The store of an application's counts. */
enum Store {
    MEMORY("memory", List.of()),
    REDIS("Redis", List.of("dev.weir:weir-store-redis")),
    POSTGRESQL("PostgreSQL", List.of("dev.weir:weir-store-jdbc", Workspace.POSTGRESQL_DRIVER));

    final List<String> dependencies;
    private final String title;

    Store(String title, List<String> dependencies) {
        this.title = title;
        this.dependencies = dependencies;
    }

    /** The value of {@code weir.store}, with long timeouts, because the machine may be busy. */
    String uri() {
        return switch (this) {
            case MEMORY -> "memory";
            case REDIS -> Servers.redis() + "?timeout=20s";
            case POSTGRESQL -> Servers.postgresql().getJdbcUrl("postgres", "postgres") + "&timeout=20s";
        };
    }

    /** Whether the server holds a count of a caller; always true for the memory of another process. */
    boolean counts(String caller) throws SQLException {
        return switch (this) {
            case MEMORY -> true;
            case REDIS -> redisCounts(caller);
            case POSTGRESQL -> postgresqlCounts(caller);
        };
    }

    private static boolean redisCounts(String caller) {
        try (RedisClient client = RedisClient.create(Servers.redis());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            return !connection.sync().keys("*" + caller + "*").isEmpty();
        }
    }

    private static boolean postgresqlCounts(String caller) throws SQLException {
        try (Connection connection = Servers.postgresql().getPostgresDatabase().getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT 1 FROM weir_budget WHERE position(? IN key) > 0")) {
            statement.setBytes(1, caller.getBytes(StandardCharsets.UTF_8));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    @Override
    public String toString() {
        return title;
    }
}

package dev.weir.store.jdbc;

import dev.weir.fixture.PostgresProcess;
import dev.weir.store.jdbc.postgres.PostgresConnections;
import dev.weir.store.jdbc.rows.Schema;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/** A real PostgreSQL, started once for all tests. Each test can have its own schema. */
final class PostgresServer {
    private static final EmbeddedPostgres SERVER = start();
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final Deque<Place> FREE = new ConcurrentLinkedDeque<>();

    private PostgresServer() {}

    /** A schema of one's own, and a pool of connections to it, which stay when a store is closed. */
    record Place(String schema, PostgresConnections connections) {
        String uri() {
            return PostgresServer.uri(schema);
        }

        /** Empties the tables and lets others have the place. */
        void free() {
            boolean unused = connections.transaction(connection -> {
                try (Statement statement = connection.createStatement()) {
                    return statement.execute("DELETE FROM weir_budget; DELETE FROM weir_hold; DELETE FROM weir_met;"
                            + " DELETE FROM weir_settings; DELETE FROM weir_audit; DELETE FROM weir_response;"
                            + " UPDATE weir_clock SET ahead = 0, latest = 0");
                }
            });
            FREE.push(this);
        }
    }

    static Place place() {
        Place free = FREE.poll();
        if (free != null) {
            return free;
        }
        String schema = newSchema();
        PostgresConnections pool = PostgresConnections.open(uri(schema), DatabaseKind.LONG_TIMEOUT.withMaxInFlight(4));
        Schema.postgresql(pool, true);
        return new Place(schema, pool);
    }

    /** A schema without any tables. */
    static String newSchema() {
        String schema = "s" + NUMBERS.incrementAndGet();
        try (Connection connection = SERVER.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA " + schema);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return schema;
    }

    static String uri(String schema) {
        return "jdbc:postgresql://localhost:" + SERVER.getPort() + "/postgres?user=postgres&currentSchema=" + schema;
    }

    private static EmbeddedPostgres start() {
        EmbeddedPostgres server = PostgresProcess.start(options -> options.setServerConfig("max_connections", "200"));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }));
        return server;
    }
}

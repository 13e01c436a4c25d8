package dev.weir.store.jdbc;

import dev.weir.store.jdbc.postgres.PostgresConnections;
import dev.weir.store.jdbc.rows.GivenClock;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The databases that a test runs on. */
enum DatabaseKind {
    SQLITE,
    POSTGRESQL;

    /** Tests stop for longer than production would wait, when the machine is busy. */
    static final JdbcStoreOptions LONG_TIMEOUT = JdbcStoreOptions.defaults().withTimeout(Duration.ofMinutes(1));

    /** An empty database, for as many nodes as a test likes. */
    Site newSite() {
        return this == SQLITE ? new SqliteSite(SqliteUnderTest.newFile()) : new PostgresSite(PostgresServer.place());
    }

    /** A database that several nodes share. */
    interface Site extends AutoCloseable {
        /** One more node. */
        JdbcBackend node(JdbcStoreOptions options, @Nullable GivenClock clock);

        default JdbcBackend node() {
            return node(LONG_TIMEOUT, null);
        }

        /** A node on connections that others have used before, where opening them takes a while. */
        default JdbcBackend sharingNode() {
            return node();
        }

        @Override
        void close();
    }

    private record SqliteSite(Path file) implements Site {
        @Override
        public JdbcBackend node(JdbcStoreOptions options, @Nullable GivenClock clock) {
            return JdbcBackend.sqlite("jdbc:sqlite:" + file, options, clock);
        }

        @Override
        public void close() {
            SqliteUnderTest.delete(file);
        }
    }

    private record PostgresSite(PostgresServer.Place place) implements Site {
        @Override
        public JdbcBackend node(JdbcStoreOptions options, @Nullable GivenClock clock) {
            return JdbcBackend.postgresql(PostgresConnections.open(place.uri(), options), options, clock);
        }

        @Override
        public JdbcBackend sharingNode() {
            return JdbcBackend.postgresql(PostgresConnections.sharing(place.connections()), LONG_TIMEOUT, null);
        }

        @Override
        public void close() {
            place.free();
        }
    }
}

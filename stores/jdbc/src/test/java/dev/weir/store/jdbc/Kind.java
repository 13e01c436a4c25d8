package dev.weir.store.jdbc;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The databases that a test runs on. */
enum Kind {
    SQLITE,
    POSTGRESQL;

    /** An empty database, for as many nodes as a test likes. */
    Site newSite() {
        return this == SQLITE ? new SqliteSite(SqliteUnderTest.newFile()) : new PostgresSite(PostgresServer.place());
    }

    /** A database that several nodes share. */
    interface Site extends AutoCloseable {
        /** One more node. */
        JdbcBackend node(JdbcStoreOptions options, @Nullable GivenClock clock);

        default JdbcBackend node() {
            return node(Patient.OPTIONS, null);
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
        public void close() {
            place.free();
        }
    }
}

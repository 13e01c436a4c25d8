package dev.weir.example.ingest;

import dev.weir.fixture.PostgresProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The same application with its quotas and responses in PostgreSQL. */
class IngestOnPostgresqlTest extends IngestAcceptanceTest {
    private static EmbeddedPostgres postgres;
    private static int schemas;

    @BeforeAll
    static void startPostgres() {
        postgres = PostgresProcess.start(options -> options);
    }

    @AfterAll
    static void stopPostgres() throws IOException {
        postgres.close();
    }

    @BeforeEach
    void makeSchema() throws SQLException {
        schemas++;
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA s" + schemas);
        }
    }

    @Override
    String store() {
        return postgres.getJdbcUrl("postgres", "postgres") + "&timeout=20s&currentSchema=s" + schemas;
    }
}

package dev.weir.benchmarks.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.TokenBucket;
import dev.weir.engine.Outcome;
import dev.weir.engine.Reason;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.store.jdbc.JdbcBackend;
import dev.weir.store.jdbc.JdbcStore;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.postgresql.Bucket4jPostgreSQL;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/** Weir, Bucket4j, and the bare statement. */
final class Contestants {
    /** Never used up while it is measured: every check spends, and so writes. */
    static final Policy POLICY = TokenBucket.of(1_000_000_000_000L, 1_000, Duration.ofSeconds(1));

    /** What one would write by hand for a fixed window: one statement per check. */
    private static final String UPSERT =
            "INSERT INTO bare (key, used, began) VALUES (?, 1, ?) ON CONFLICT (key) DO UPDATE"
                    + " SET used = CASE WHEN excluded.began - bare.began >= 3600000000 THEN 1 ELSE bare.used + 1 END,"
                    + " began = CASE WHEN excluded.began - bare.began >= 3600000000 THEN excluded.began ELSE bare.began END"
                    + " WHERE bare.used < 1000000000000 OR excluded.began - bare.began >= 3600000000 RETURNING used, began";

    private Contestants() {}

    static Contestant weir(String uri) {
        JdbcStore store = JdbcStore.open(uri);
        return new Contestant() {
            @Override
            public Caller newCaller() {
                return new WeirCaller(store);
            }

            @Override
            public long decisions(long checks) {
                return store.carried();
            }

            @Override
            public String remark() {
                return store.trips() + " trips for " + store.carried() + " decisions";
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }

    private record WeirCaller(JdbcStore store) implements Contestant.Caller {
        private static final Key SCOPE = Key.of("bench");

        private Answer<Decision> consume(int key) {
            return store.consume(List.of(Charge.of(SCOPE.and("key-" + key), POLICY)));
        }

        @Override
        public boolean check(int key) {
            return consume(key).await(Duration.ofSeconds(10)).admitted();
        }

        @Override
        public void checkLater(int key, BiConsumer<@Nullable Boolean, @Nullable Throwable> callback) {
            consume(key)
                    .whenDone((decision, failure) ->
                            callback.accept(decision == null ? null : decision.admitted(), failure));
        }
    }

    /** The device-ingest preset as it ships, through the engine: a check from a device's request. */
    static Contestant ingest(String uri) {
        JdbcBackend backend = JdbcBackend.open(uri);
        Weir weir = Weir.of(
                new ConfigurationReader(name -> name.equals("BMTC_RATE_LIMIT_ENABLED") ? "true" : "500")
                        .preset("device-ingest")
                        .orThrow(),
                backend.store(),
                backend.settings(new JsonSettingsFormat()),
                WeirOptions.defaults().withGuard(GuardOptions.defaults().withDeadline(Duration.ofSeconds(10))));
        return of(
                caller -> key -> {
                    Outcome outcome =
                            weir.check(Map.of("method", "POST", "path", "/v1/ride_summary", "device", "device-" + key));
                    if (outcome.reason() == Reason.UNAVAILABLE) {
                        throw new IllegalStateException("the store did not answer");
                    }
                    return outcome.allowed();
                },
                weir::close);
    }

    /** A connection for each caller. */
    static Contestant bare(DataSource source) {
        return of(caller -> new BareCaller(connection(source)), () -> {});
    }

    /** One connection for all, taken in turns: the best that the statement can do in SQLite, which has one writer. */
    static Contestant bareSqlite(String file, boolean full) {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(full ? SQLiteConfig.SynchronousMode.FULL : SQLiteConfig.SynchronousMode.NORMAL);
        config.setBusyTimeout(10_000);
        try {
            Connection connection = config.createConnection("jdbc:sqlite:" + file);
            execute(
                    connection,
                    "CREATE TABLE IF NOT EXISTS bare (key TEXT PRIMARY KEY, used INTEGER NOT NULL,"
                            + " began INTEGER NOT NULL) STRICT, WITHOUT ROWID");
            BareCaller only = new BareCaller(connection);
            Object turn = new Object();
            return of(
                    caller -> key -> {
                        synchronized (turn) {
                            return only.check(key);
                        }
                    },
                    () -> close(connection));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class BareCaller implements Contestant.Caller {
        private final Connection connection;
        private final PreparedStatement statement;

        BareCaller(Connection connection) {
            this.connection = connection;
            try {
                this.statement = connection.prepareStatement(UPSERT);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public boolean check(int key) {
            try {
                statement.setString(1, "key-" + key);
                statement.setLong(2, System.currentTimeMillis() * 1_000);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next();
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            Contestants.close(connection);
        }
    }

    /** Bucket4j on PostgreSQL, by its advisory locks or by selecting for update. */
    static Contestant bucket4j(DataSource source, boolean advisory) {
        ProxyManager<Long> manager = advisory
                ? Bucket4jPostgreSQL.advisoryLockBasedBuilder(source)
                        .table("bucket")
                        .build()
                : Bucket4jPostgreSQL.selectForUpdateBasedBuilder(source)
                        .table("bucket")
                        .build();
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(1_000_000_000_000L).refillGreedy(1_000, Duration.ofSeconds(1)))
                .build();
        return of(
                caller -> key ->
                        manager.builder().build((long) key, () -> configuration).tryConsume(1),
                () -> {});
    }

    private static Contestant of(IntFunction<Contestant.Caller> callers, Runnable close) {
        return new Contestant() {
            @Override
            public Caller newCaller() {
                return callers.apply(0);
            }

            @Override
            public void close() {
                close.run();
            }
        };
    }

    /** A pool with a connection for each caller, and the tables of the peers. */
    static HikariDataSource pool(String url, int size, boolean durable) {
        try (Connection connection = DriverManager.getConnection(url)) {
            execute(
                    connection,
                    "CREATE TABLE IF NOT EXISTS bare (key text PRIMARY KEY, used bigint NOT NULL,"
                            + " began bigint NOT NULL) WITH (fillfactor = 70)");
            execute(
                    connection,
                    "CREATE TABLE IF NOT EXISTS bucket (id bigint PRIMARY KEY, state bytea, expires_at bigint)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        config.setConnectionTimeout(30_000);
        config.setConnectionInitSql("SET synchronous_commit = " + (durable ? "on" : "off"));
        return new HikariDataSource(config);
    }

    private static Connection connection(DataSource source) {
        try {
            return source.getConnection();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}

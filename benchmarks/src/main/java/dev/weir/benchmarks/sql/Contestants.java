package dev.weir.benchmarks.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.TokenBucket;
import dev.weir.benchmarks.load.Contestant;
import dev.weir.benchmarks.load.Usage;
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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.sqlite.SQLiteConfig;

/** The contestants of the SQL benchmark: Weir, Bucket4j, and the bare statement. */
final class Contestants {
    /** The prefix of the keys; a number follows. */
    static final String KEY = "key-";

    /** Never used up while it is measured: every check spends, and therefore writes. */
    private static final Policy POLICY = TokenBucket.of(1_000_000_000_000L, 1_000, Duration.ofSeconds(1));

    /** The obvious statement for a fixed window: one per check. */
    private static final String UPSERT =
            "INSERT INTO bare (key, used, began) VALUES (?, 1, ?) ON CONFLICT (key) DO UPDATE"
                    + " SET used = CASE WHEN excluded.began - bare.began >= 3600000000 THEN 1 ELSE bare.used + 1 END,"
                    + " began = CASE WHEN excluded.began - bare.began >= 3600000000 THEN excluded.began ELSE bare.began END"
                    + " WHERE bare.used < 1000000000000 OR excluded.began - bare.began >= 3600000000 RETURNING used, began";

    private Contestants() {}

    static Contestant weir(String uri) {
        JdbcStore store = JdbcStore.open(uri);
        Key scope = Key.of("bench");
        return Contestant.weir("weir", store, key -> List.of(Charge.of(scope.and(key), POLICY)))
                .counted(() -> new Usage(Double.NaN, store.batches(), store.batchedRequests()), false);
    }

    /** The device-ingest preset as it ships, through the engine: a check for a device's request. */
    static Contestant ingest(String uri) {
        JdbcBackend backend = JdbcBackend.open(uri);
        Weir weir = Weir.of(
                new ConfigurationReader(name -> name.equals("BMTC_RATE_LIMIT_ENABLED") ? "true" : "500")
                        .preset("device-ingest")
                        .orThrow(),
                backend.store(),
                backend.settings(new JsonSettingsFormat()),
                WeirOptions.defaults().withGuard(GuardOptions.defaults().withDeadline(Contestant.TIMEOUT)));
        return Contestant.blocking(
                "ingest",
                key -> {
                    Outcome outcome = weir.check(Map.of("method", "POST", "path", "/v1/ride_summary", "device", key));
                    if (outcome.reason() == Reason.UNAVAILABLE) {
                        throw new IllegalStateException("the store did not answer");
                    }
                    return outcome.allowed();
                },
                weir::close);
    }

    /** One connection per thread. */
    static Contestant bare(DataSource source) {
        Queue<PreparedStatement> all = new ConcurrentLinkedQueue<>();
        ThreadLocal<PreparedStatement> own = ThreadLocal.withInitial(() -> {
            PreparedStatement statement = sql(() -> source.getConnection().prepareStatement(UPSERT));
            all.add(statement);
            return statement;
        });
        return Contestant.blocking("bare", key -> upsert(own.get(), key), () -> all.forEach(Contestants::disconnect));
    }

    /**
     * One connection, which all callers use in turn: the best that the statement can do in SQLite, which has one
     * writer.
     */
    static Contestant bareSqlite(String file, boolean full) {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(full ? SQLiteConfig.SynchronousMode.FULL : SQLiteConfig.SynchronousMode.NORMAL);
        config.setBusyTimeout(10_000);
        PreparedStatement statement = sql(() -> {
            Connection connection = config.createConnection("jdbc:sqlite:" + file);
            execute(
                    connection,
                    "CREATE TABLE IF NOT EXISTS bare (key TEXT PRIMARY KEY, used INTEGER NOT NULL,"
                            + " began INTEGER NOT NULL) STRICT, WITHOUT ROWID");
            return connection.prepareStatement(UPSERT);
        });
        Object turn = new Object();
        return Contestant.blocking(
                "bare",
                key -> {
                    synchronized (turn) {
                        return upsert(statement, key);
                    }
                },
                () -> disconnect(statement));
    }

    private static boolean upsert(PreparedStatement statement, String key) {
        return sql(() -> {
            statement.setString(1, key);
            statement.setLong(2, System.currentTimeMillis() * 1_000);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        });
    }

    private static void disconnect(PreparedStatement statement) {
        boolean unused = sql(() -> {
            statement.getConnection().close();
            return true;
        });
    }

    /** Bucket4j on PostgreSQL, with advisory locks or with select for update. */
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
        return Contestant.blocking(
                "bucket4j",
                key -> manager.builder()
                        .build(Long.valueOf(key.substring(KEY.length())), () -> configuration)
                        .tryConsume(1),
                () -> {});
    }

    /** A pool with one connection per caller, and the tables of the peers. */
    static HikariDataSource pool(String url, int size, boolean durable) {
        boolean unused = sql(() -> {
            try (Connection connection = DriverManager.getConnection(url)) {
                execute(
                        connection,
                        "CREATE TABLE IF NOT EXISTS bare (key text PRIMARY KEY, used bigint NOT NULL,"
                                + " began bigint NOT NULL) WITH (fillfactor = 70)");
                execute(
                        connection,
                        "CREATE TABLE IF NOT EXISTS bucket (id bigint PRIMARY KEY, state bytea, expires_at bigint)");
                return true;
            }
        });
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        config.setConnectionTimeout(30_000);
        config.setConnectionInitSql("SET synchronous_commit = " + (durable ? "on" : "off"));
        return new HikariDataSource(config);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** A call of the driver that may throw. */
    private interface Action<T> {
        T run() throws SQLException;
    }

    private static <T> T sql(Action<T> action) {
        try {
            return action.run();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}

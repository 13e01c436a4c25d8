package dev.weir.store.jdbc.sqlite;

import dev.weir.StoreException;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.StoreTime;
import dev.weir.store.jdbc.JdbcStoreOptions;
import dev.weir.store.jdbc.rows.Database;
import dev.weir.store.jdbc.rows.GivenClock;
import dev.weir.store.jdbc.rows.MonotonicTime;
import dev.weir.store.jdbc.rows.SqlPolicy;
import dev.weir.store.jdbc.rows.SqlRequest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A SQLite file: decides batches with one writer connection, runs other transactions, and cleans up.
 *
 * <p>All use of the writer is under {@link #lock}. A batch is decided in one of two ways:
 *
 * <ol>
 *   <li><em>Fast path.</em> A batch of one check with a single charge is one statement of {@link SqliteUpsert}, which
 *       SQLite executes as a transaction of its own. It needs no reading and no ledger. If it returns no row, nothing
 *       has changed, and the slow path decides.
 *   <li><em>Slow path.</em> {@code BEGIN IMMEDIATE} takes the write lock of the file. {@link SqliteTransaction} then
 *       reads each row of the batch once, core's ledgers decide, and each changed row is written once. One commit ends
 *       the batch.
 * </ol>
 *
 * <p>The time is the machine's clock plus {@code ahead}, read while the write lock is held: inside the statement on the
 * fast path, after {@code BEGIN IMMEDIATE} on the slow path. So processes agree on the order of times. The fast path is
 * not used if the clock shows less than a time seen before; the slow path then increases {@code ahead}.
 *
 * <p>A batch runs in the calling thread, which costs less than passing it to another. If another process holds the
 * write lock, or the commit waits for the disk, the batch moves to a worker thread, which retries until the timeout.
 * After any failure the transaction is rolled back and the prepared statements are discarded. Safe for use by any
 * number of threads.
 */
public final class SqliteDatabase implements Database {
    /** How many rows one transaction of the cleanup reads. */
    private static final int SWEEP = 500;

    /** From this number of pages on, 32 MB, a checkpoint makes the writer wait, so that the log starts again. */
    private static final long LONG_LOG = 32_768;

    private static final long SHORTEST_PAUSE_NANOS = 20_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000;

    private final SqliteConnection writer;
    /** Only for checkpoints in the background. */
    private final SqliteConnection background;

    private final SqliteUpsert upsert;
    private final SqliteTransaction transaction;
    private final MonotonicTime time = new MonotonicTime();
    private final @Nullable GivenClock given;
    private final Duration timeout;
    private final Executor busyTimeout;
    private final boolean waitsForDisk;
    private final String synchronous;
    /** Held while the writer is used. */
    private final ReentrantLock lock = new ReentrantLock();
    /** The column {@code ahead} of {@code weir_clock} as last read. Guarded by the lock. */
    private long ahead;
    /** The key after which the cleanup continues. Guarded by the lock. */
    private byte[] sweptUpTo = new byte[0];

    private boolean closed;

    /**
     * Opens the database.
     *
     * @param busyTimeout runs batches that must wait for the lock or the disk
     */
    public SqliteDatabase(
            SqliteConnection writer,
            SqliteConnection background,
            Object store,
            JdbcStoreOptions options,
            Executor busyTimeout,
            @Nullable GivenClock given)
            throws SQLException {
        this.writer = writer;
        this.background = background;
        this.transaction = new SqliteTransaction(writer, store);
        this.upsert = new SqliteUpsert(writer, store);
        this.timeout = options.timeout();
        this.waitsForDisk = options.durability() == JdbcStoreOptions.Durability.FULL;
        this.synchronous = waitsForDisk ? "FULL" : "NORMAL";
        this.busyTimeout = busyTimeout;
        this.given = given;
        Long latest = writer.number("SELECT latest FROM weir_clock");
        time.observe(latest == null ? 0 : latest);
        readAhead();
    }

    @Override
    public CompletionStage<List<Object>> execute(List<SqlRequest> sqlRequests) {
        if (!waitsForDisk) {
            try {
                return CompletableFuture.completedFuture(attempt(sqlRequests));
            } catch (SQLException e) {
                if (!SqliteConnection.isBusy(e)) {
                    throw SqliteConnection.failure(e);
                }
            }
        }
        return CompletableFuture.supplyAsync(() -> persist(sqlRequests), busyTimeout);
    }

    /** Retries until the lock is free or the timeout has passed. */
    private List<Object> persist(List<SqlRequest> sqlRequests) {
        return retryWhileBusy(() -> attempt(sqlRequests));
    }

    /** Statements that may find the file locked. */
    interface RetriedStatements<T extends @Nullable Object> {
        T make() throws SQLException;
    }

    <T extends @Nullable Object> T retryWhileBusy(RetriedStatements<T> attempt) {
        long end = System.nanoTime() + timeout.toNanos();
        long pause = SHORTEST_PAUSE_NANOS;
        while (true) {
            try {
                return attempt.make();
            } catch (SQLException e) {
                if (!SqliteConnection.isBusy(e) || System.nanoTime() - end >= 0) {
                    throw SqliteConnection.failure(e);
                }
            }
            LockSupport.parkNanos(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        }
    }

    private List<Object> attempt(List<SqlRequest> sqlRequests) throws SQLException {
        return locked(() -> {
            if (sqlRequests.size() == 1) {
                Object answer = decideOne(sqlRequests.get(0));
                if (answer != null) {
                    return List.of(answer);
                }
            }
            return decideBatch(sqlRequests);
        });
    }

    /** Uses the writer exclusively. */
    private <T extends @Nullable Object> T locked(RetriedStatements<T> work) throws SQLException {
        lock.lock();
        try {
            requireOpen();
            return work.make();
        } catch (SQLException e) {
            writer.discardStatements();
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Decides a request by one statement, which is a transaction of its own; returns null if that is not possible. */
    private @Nullable Object decideOne(SqlRequest sqlRequest) throws SQLException {
        long raw = rawMicros();
        if (!SqliteUpsert.isFor(sqlRequest) || raw + ahead < time.latest()) {
            return null;
        }
        LedgerDecision decision = upsert.admit(sqlRequest, raw, wallMillis());
        if (decision != null) {
            time.observe(decision.time());
        }
        return decision;
    }

    private List<Object> decideBatch(List<SqlRequest> sqlRequests) throws SQLException {
        Map<SqlPolicy, Long> met = new HashMap<>();
        List<Object> answers = inTransaction(() -> transaction.decide(sqlRequests, now(), met));
        transaction.remember(met);
        return answers;
    }

    /** The time. The caller holds the write lock of the file. */
    private StoreTime now() throws SQLException {
        readAhead();
        long latest = time.latest();
        long now = rawMicros() + ahead;
        if (now < latest) {
            ahead += latest - now;
            now = latest;
            PreparedStatement statement = writer.statement("UPDATE weir_clock SET ahead = ?");
            statement.setLong(1, ahead);
            statement.executeUpdate();
        }
        time.observe(now);
        return new StoreTime(now, wallMillis());
    }

    private long wallMillis() {
        return given == null ? System.currentTimeMillis() : given.wallMillis();
    }

    private void readAhead() throws SQLException {
        Long known = writer.number("SELECT ahead FROM weir_clock");
        if (known == null) {
            throw new StoreException("the table weir_clock has lost its row; insert (1, 0, 0)", false, null);
        }
        ahead = known;
    }

    private long rawMicros() {
        if (given != null) {
            return given.micros();
        }
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    @Override
    public <T extends @Nullable Object> T transaction(long number, boolean durable, TransactionWork<T> work) {
        return retryWhileBusy(() -> locked(() -> {
            writer.execute("PRAGMA synchronous = " + (durable ? "FULL" : synchronous));
            try {
                return inTransaction(() -> work.with(writer.jdbc(), now().micros()));
            } finally {
                writer.execute("PRAGMA synchronous = " + synchronous);
            }
        }));
    }

    @Override
    public <T extends @Nullable Object> T read(TransactionWork<T> work) {
        return retryWhileBusy(() -> locked(() -> work.with(writer.jdbc(), time.latest())));
    }

    private <T extends @Nullable Object> T inTransaction(RetriedStatements<T> work) throws SQLException {
        writer.execute("BEGIN IMMEDIATE");
        try {
            T result = work.make();
            writer.execute("COMMIT");
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            writer.rollback();
            throw e;
        }
    }

    @Override
    public void sweepAll() {
        while (!retryWhileBusy(this::sweepSome)) {
            Thread.onSpinWait();
        }
    }

    /** Cleans up one stretch of keys. Returns whether it was the last. */
    private boolean sweepSome() throws SQLException {
        return locked(() -> inTransaction(() -> sweepAt(now().micros())));
    }

    private boolean sweepAt(long nowMicros) throws SQLException {
        PreparedStatement seen = writer.statement("UPDATE weir_clock SET latest = ? WHERE latest < ?");
        seen.setLong(1, nowMicros);
        seen.setLong(2, nowMicros);
        seen.executeUpdate();
        List<byte[]> stretch = new ArrayList<>();
        PreparedStatement next =
                writer.statement("SELECT key, whole_at FROM weir_budget WHERE key > ? ORDER BY key LIMIT " + SWEEP);
        next.setBytes(1, sweptUpTo);
        int seenRows = 0;
        try (ResultSet rows = next.executeQuery()) {
            while (rows.next()) {
                seenRows++;
                sweptUpTo = rows.getBytes(1);
                if (rows.getLong(2) <= nowMicros) {
                    stretch.add(sweptUpTo);
                }
            }
        }
        if (seenRows < SWEEP) {
            sweptUpTo = new byte[0];
        }
        PreparedStatement remove = writer.statement("DELETE FROM weir_budget WHERE key = ?");
        for (byte[] key : stretch) {
            remove.setBytes(1, key);
            remove.executeUpdate();
        }
        int holds = removeEnded("weir_hold WHERE id IN (SELECT id FROM weir_hold", nowMicros);
        int responses = removeEnded("weir_response WHERE key IN (SELECT key FROM weir_response", nowMicros);
        return seenRows < SWEEP && holds < SWEEP && responses < SWEEP;
    }

    private int removeEnded(String sql, long nowMicros) throws SQLException {
        PreparedStatement remove = writer.statement("DELETE FROM " + sql + " WHERE ends_at <= ? LIMIT " + SWEEP + ")");
        remove.setLong(1, nowMicros);
        return remove.executeUpdate();
    }

    /**
     * Copies the log into the file, mostly while the writer continues. When the log has become long, the writer waits
     * for the rest, so that the log can start again.
     */
    @Override
    public void runEverySecond() {
        try {
            Long frames = checkpoint(background);
            if (frames != null && frames > LONG_LOG) {
                Long unused = locked(() -> checkpoint(writer));
            }
        } catch (SQLException e) {
            throw SqliteConnection.failure(e);
        }
    }

    /** Runs a checkpoint. Returns how many pages the log has. */
    private static @Nullable Long checkpoint(SqliteConnection connection) throws SQLException {
        try (ResultSet row =
                connection.statement("PRAGMA wal_checkpoint(PASSIVE)").executeQuery()) {
            return row.next() ? row.getLong(2) : null;
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreException("the store is closed", false, null);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                background.close();
                writer.close();
            }
        } catch (SQLException e) {
            throw SqliteConnection.failure(e);
        } finally {
            lock.unlock();
        }
    }
}

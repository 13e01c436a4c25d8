package dev.weir.store.jdbc.postgres;

import dev.weir.StoreException;
import dev.weir.ledger.StoreTime;
import dev.weir.store.jdbc.rows.Database;
import dev.weir.store.jdbc.rows.GivenClock;
import dev.weir.store.jdbc.rows.MonotonicTime;
import dev.weir.store.jdbc.rows.PolicyFirstSeen;
import dev.weir.store.jdbc.rows.SqlRequest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL database: decides batches, runs other transactions, and cleans up.
 *
 * <p>A batch goes through two stages:
 *
 * <ol>
 *   <li><em>Fast path.</em> {@link PostgresBatch} sends all checks and peeks that are a matter of counting to the
 *       function {@code weir_check}: one statement, which is a transaction of its own.
 *   <li><em>Slow path.</em> {@link PostgresTransaction} decides the rest in a transaction of two round trips:
 *       reservations, leases, refunds, resets, and the requests that the function returned undecided.
 * </ol>
 *
 * <p>Both take transaction-level advisory locks, one for each key, in ascending order, before they read. So there are
 * no deadlocks among batches, a key without a row is locked, too, and a denied request writes nothing, not even a row
 * lock. The database's clock is read while the locks are held. So the times of one key never decrease, and {@link
 * MonotonicTime} repairs a clock that was set back. The isolation is read committed: each statement of the function sees
 * everything that was committed before it got its locks.
 *
 * <p>The stages fail separately. A failure of the slow path is the result of its requests only; decisions of the fast
 * path are committed by then. Batches block the thread that sends them. The batcher has a thread for each batch in
 * flight, so callers never wait for the network in their own thread. Safe for use by any number of threads.
 */
public final class PostgresDatabase implements Database {
    /** How many rows one transaction of the cleanup reads. */
    private static final int SWEEP = 500;

    /**
     * Uses arrays rather than joins: an array is computed once. A join that was planned for a small table may repeat
     * the search for every row of a large one.
     */
    private static final String SWEEP_BUDGETS = "WITH stretch AS MATERIALIZED (SELECT key, whole_at FROM weir_budget"
            + " WHERE key > ? ORDER BY key LIMIT " + SWEEP + "), old AS MATERIALIZED (SELECT b.key FROM weir_budget b"
            + " WHERE b.key = ANY (ARRAY(SELECT s.key FROM stretch s WHERE s.whole_at <= ?)) AND b.whole_at <= ?"
            + " FOR UPDATE SKIP LOCKED), gone AS (DELETE FROM weir_budget w"
            + " WHERE w.key = ANY (ARRAY(SELECT o.key FROM old o)) AND w.whole_at <= ?)"
            + " SELECT count(*), (SELECT key FROM stretch ORDER BY key DESC LIMIT 1) FROM stretch";

    private final PostgresConnections connections;
    private final Object store;
    private final @Nullable GivenClock given;
    private final MonotonicTime time = new MonotonicTime();
    private final PolicyFirstSeen policyFirstSeen = new PolicyFirstSeen();
    private final PostgresTransaction transaction;
    /** By how many milliseconds the database's wall clock was last ahead of this machine's. */
    private volatile long calendarAhead;

    private volatile boolean closed;

    public PostgresDatabase(PostgresConnections connections, Object store, @Nullable GivenClock given) {
        this.connections = connections;
        this.store = store;
        this.given = given;
        this.transaction = new PostgresTransaction(store, time, policyFirstSeen, given);
        time.observe(connections.autocommit(connection -> number(connection, "SELECT latest FROM weir_clock")));
    }

    @Override
    public CompletionStage<List<Object>> execute(List<SqlRequest> sqlRequests) {
        return CompletableFuture.completedFuture(sendBatch(sqlRequests));
    }

    private List<Object> sendBatch(List<SqlRequest> sqlRequests) {
        if (closed) {
            throw new StoreException("the store is closed", false, null);
        }
        PostgresBatch batch = new PostgresBatch(store, policyFirstSeen, sqlRequests);
        if (!batch.isEmpty()) {
            call(batch);
        }
        @Nullable Object[] answers = batch.answers();
        List<SqlRequest> rest = new ArrayList<>();
        for (int i = 0; i < answers.length; i++) {
            if (answers[i] == null) {
                rest.add(sqlRequests.get(i));
            }
        }
        Iterator<Object> others = (rest.isEmpty() ? List.of() : decide(rest)).iterator();
        List<Object> all = new ArrayList<>(answers.length);
        for (Object answer : answers) {
            all.add(answer == null ? others.next() : answer);
        }
        return all;
    }

    private void call(PostgresBatch batch) {
        long latest = time.latest();
        long wall = given == null ? System.currentTimeMillis() + calendarAhead : given.wallMillis();
        try {
            StoreTime now = connections.autocommit(connection -> batch.call(connection, latest, wall, given));
            time.observe(now.micros());
            calendarAhead = given == null ? now.wallMillis() - System.currentTimeMillis() : 0;
        } catch (StoreException e) {
            batch.fail(e);
        }
    }

    /** The slow path. A failure is the result of each of these requests; those decided before keep theirs. */
    private List<Object> decide(List<SqlRequest> rest) {
        try {
            return connections.transaction(connection -> transaction.decide(connection, rest));
        } catch (StoreException e) {
            return Collections.nCopies(rest.size(), e);
        }
    }

    @Override
    public <T extends @Nullable Object> T transaction(long number, boolean durable, TransactionWork<T> work) {
        return connections.transaction(connection -> {
            try (PreparedStatement lock = connection.prepareStatement("SELECT pg_advisory_xact_lock(?)")) {
                lock.setLong(1, number);
                lock.execute();
            }
            if (durable) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SET LOCAL synchronous_commit = on");
                }
            }
            return work.with(connection, now(connection));
        });
    }

    @Override
    public <T extends @Nullable Object> T read(TransactionWork<T> work) {
        return connections.autocommit(connection -> work.with(connection, time.latest()));
    }

    @Override
    public void sweepAll() {
        byte[] from = new byte[0];
        boolean isLast = false;
        while (!isLast && !closed) {
            byte[] start = from;
            byte[] end = connections.autocommit(connection -> sweepFrom(connection, start));
            isLast = end == null;
            from = end == null ? start : end;
        }
        for (String ended : List.of("weir_hold", "weir_response")) {
            String id = ended.equals("weir_hold") ? "id" : "key";
            int removed = SWEEP;
            while (removed == SWEEP && !closed) {
                removed = connections.autocommit(connection -> removeEnded(connection, ended, id));
            }
        }
    }

    /**
     * Removes the expired rows among the next keys. Returns the last of these keys, or null at the end of the table.
     */
    private byte @Nullable [] sweepFrom(Connection connection, byte[] from) throws SQLException {
        long now = now(connection);
        try (PreparedStatement sweep = connection.prepareStatement(SWEEP_BUDGETS)) {
            sweep.setBytes(1, from);
            sweep.setLong(2, now);
            sweep.setLong(3, now);
            sweep.setLong(4, now);
            try (ResultSet stretch = sweep.executeQuery()) {
                stretch.next();
                return stretch.getInt(1) < SWEEP ? null : stretch.getBytes(2);
            }
        }
    }

    private int removeEnded(Connection connection, String table, String id) throws SQLException {
        long now = now(connection);
        try (PreparedStatement remove = connection.prepareStatement("DELETE FROM " + table + " WHERE " + id
                + " = ANY (ARRAY(SELECT " + id + " FROM " + table + " WHERE ends_at <= ? LIMIT " + SWEEP
                + " FOR UPDATE SKIP LOCKED)) AND ends_at <= ?")) {
            remove.setLong(1, now);
            remove.setLong(2, now);
            return remove.executeUpdate();
        }
    }

    /** The time. It is also stored in the database, as a lower bound for nodes that start later. */
    private long now(Connection connection) throws SQLException {
        long latest = time.latest();
        long now;
        try (PreparedStatement ask = connection.prepareStatement("SELECT weir_now(?, ?)")) {
            ask.setLong(1, latest);
            ask.setObject(2, given == null ? null : given.micros(), Types.BIGINT);
            try (ResultSet told = ask.executeQuery()) {
                told.next();
                now = told.getLong(1);
            }
        }
        try (PreparedStatement keep =
                connection.prepareStatement("UPDATE weir_clock SET latest = ? WHERE latest < ? - 1000000")) {
            keep.setLong(1, now);
            keep.setLong(2, now);
            keep.executeUpdate();
        }
        time.observe(now);
        return now;
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}

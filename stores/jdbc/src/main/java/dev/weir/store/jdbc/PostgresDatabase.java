package dev.weir.store.jdbc;

import dev.weir.StoreException;
import dev.weir.ledger.StoreTime;
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
 * A PostgreSQL database. Rows are locked by advisory locks in one order, so that keys without a row are locked, too, and a
 * refusal writes nothing; its clock rules, read once the locks are held.
 *
 * <p>A trip blocks its thread: the combiner has one of its own for each lane, so that nobody who asks ever waits for the
 * network.
 */
final class PostgresDatabase implements Database {
    /** How many rows are looked at in one transaction when cleaning up. */
    private static final int SWEEP = 500;

    /**
     * Arrays rather than joins: each is made once. A join that is planned for a table thought to be small may look for the
     * rows to remove anew for every row there is.
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
    /** By how much the database's calendar is ahead of this machine's, as last seen, in milliseconds. */
    private volatile long calendarAhead;

    private volatile boolean closed;

    PostgresDatabase(PostgresConnections connections, Object store, @Nullable GivenClock given) {
        this.connections = connections;
        this.store = store;
        this.given = given;
        this.transaction = new PostgresTransaction(store, time, policyFirstSeen, given);
        time.observe(connections.autocommit(connection -> number(connection, "SELECT latest FROM weir_clock")));
    }

    @Override
    public CompletionStage<List<Object>> make(List<SqlRequest> sqlRequests) {
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

    /** A failure is the answer to each: what was decided before stands. */
    private List<Object> decide(List<SqlRequest> rest) {
        try {
            return connections.transaction(connection -> transaction.decide(connection, rest));
        } catch (StoreException e) {
            return Collections.nCopies(rest.size(), e);
        }
    }

    @Override
    public <T extends @Nullable Object> T transaction(long number, boolean durable, Work<T> work) {
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
    public <T extends @Nullable Object> T read(Work<T> work) {
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

    /** Removes what is whole in a stretch of keys; answers the last key of it, or null at the end of the table. */
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

    /** The time; remembered in the database, so that a node that starts later knows how late it is at least. */
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

package dev.weir.store.jdbc.postgres;

import dev.weir.ledger.StoreTime;
import dev.weir.store.jdbc.rows.BudgetRow;
import dev.weir.store.jdbc.rows.Changes;
import dev.weir.store.jdbc.rows.GivenClock;
import dev.weir.store.jdbc.rows.HoldCodec;
import dev.weir.store.jdbc.rows.MonotonicTime;
import dev.weir.store.jdbc.rows.PolicyFirstSeen;
import dev.weir.store.jdbc.rows.RowKey;
import dev.weir.store.jdbc.rows.RowsToLoad;
import dev.weir.store.jdbc.rows.SqlPolicy;
import dev.weir.store.jdbc.rows.SqlRequest;
import dev.weir.store.jdbc.rows.TransactionRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The slow path of PostgreSQL, for requests of any kind. One round trip locks and loads the rows, core's ledgers
 * decide, and another round trip writes the changed rows and commits.
 */
final class PostgresTransaction {
    private static final String LOAD = "SELECT kind, key, policy, a, b, more, content FROM weir_load(?, ?, ?, ?, ?, ?)";

    private final Object store;
    private final MonotonicTime time;
    private final PolicyFirstSeen policyFirstSeen;
    private final @Nullable GivenClock given;

    PostgresTransaction(Object store, MonotonicTime time, PolicyFirstSeen policyFirstSeen, @Nullable GivenClock given) {
        this.store = store;
        this.time = time;
        this.policyFirstSeen = policyFirstSeen;
        this.given = given;
    }

    /**
     * Decides the requests in a transaction, which the last round trip commits. If nothing was written, the caller ends
     * the transaction.
     */
    List<Object> decide(Connection connection, List<SqlRequest> sqlRequests) throws SQLException {
        Map<SqlPolicy, Long> met = new HashMap<>();
        TransactionRows transactionRows = load(connection, RowsToLoad.of(sqlRequests), met);
        List<Object> answers = transactionRows.decide(sqlRequests);
        List<Changes.SqlStatement> changes = Changes.of(transactionRows, met, false);
        if (!changes.isEmpty()) {
            commit(connection, changes);
        }
        policyFirstSeen.remember(met);
        return answers;
    }

    private TransactionRows load(Connection connection, RowsToLoad rowsToLoad, Map<SqlPolicy, Long> met)
            throws SQLException {
        List<SqlPolicy> unmet = policyFirstSeen.unknownOf(rowsToLoad.policyFirstSeen());
        long latest = time.latest();
        TransactionRows transactionRows;
        try (PreparedStatement statement = connection.prepareStatement(LOAD)) {
            PostgresConnections.setLongs(statement, 1, locks(rowsToLoad, unmet));
            PostgresConnections.setKeys(statement, 2, List.copyOf(rowsToLoad.budgets()));
            PostgresConnections.setKeys(statement, 3, List.copyOf(rowsToLoad.holds()));
            PostgresConnections.setTexts(
                    statement, 4, unmet.stream().map(SqlPolicy::text).toArray(String[]::new));
            statement.setLong(5, latest);
            statement.setObject(6, given == null ? null : given.micros(), Types.BIGINT);
            try (ResultSet found = statement.executeQuery()) {
                found.next();
                StoreTime now = new StoreTime(found.getLong(4), given == null ? found.getLong(5) : given.wallMillis());
                transactionRows =
                        new TransactionRows(store, now, sqlPolicy -> policyFirstSeen.firstSeenAt(sqlPolicy, met));
                while (found.next()) {
                    add(found, transactionRows, met);
                }
            }
        }
        time.observe(transactionRows.now().micros());
        transactionRows.addMissing(rowsToLoad.budgets());
        policyFirstSeen.complete(
                met, rowsToLoad.policyFirstSeen(), transactionRows.now().micros(), connection);
        policyFirstSeen.complete(
                met, transactionRows.policyFirstSeen(), transactionRows.now().micros(), connection);
        return transactionRows;
    }

    private static void add(ResultSet found, TransactionRows transactionRows, Map<SqlPolicy, Long> met)
            throws SQLException {
        switch (found.getInt(1)) {
            case 1 ->
                transactionRows.add(BudgetRow.found(
                        RowKey.of(found.getBytes(2)), found.getString(3), PostgresConnections.states(found, 4)));
            case 2 ->
                transactionRows.add(
                        RowKey.of(found.getBytes(2)),
                        HoldCodec.read(found.getBytes(7), found.getLong(4), found.getLong(5) == 1));
            default -> met.put(SqlPolicy.of(found.getString(3)), found.getLong(4));
        }
    }

    private static long[] locks(RowsToLoad rowsToLoad, Collection<SqlPolicy> unmet) {
        Set<Long> locks = new TreeSet<>();
        rowsToLoad.budgets().forEach(key -> locks.add(key.lock()));
        rowsToLoad.holds().forEach(id -> locks.add(id.lock()));
        unmet.forEach(sqlPolicy -> locks.add(PolicyFirstSeen.lock(sqlPolicy)));
        return locks.stream().mapToLong(Long::longValue).toArray();
    }

    /** Writes the changes and commits in one round trip: the driver sends all statements at once. */
    private static void commit(Connection connection, List<Changes.SqlStatement> changes) throws SQLException {
        String sql = changes.stream().map(Changes.SqlStatement::sql).collect(Collectors.joining("; ", "", "; COMMIT"));
        try (PreparedStatement write = connection.prepareStatement(sql)) {
            int index = 1;
            for (Changes.SqlStatement change : changes) {
                for (Object value : change.values()) {
                    if (value instanceof long[] numbers) {
                        PostgresConnections.setLongs(write, index++, numbers);
                    } else if (value instanceof byte[][] bytes) {
                        PostgresConnections.setBytes(write, index++, bytes);
                    } else {
                        write.setObject(index++, value);
                    }
                }
            }
            write.execute();
        }
    }
}

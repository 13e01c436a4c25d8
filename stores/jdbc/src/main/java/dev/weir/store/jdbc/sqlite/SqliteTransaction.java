package dev.weir.store.jdbc.sqlite;

import dev.weir.ledger.StoreTime;
import dev.weir.ledger.StoredHold;
import dev.weir.store.jdbc.rows.BudgetRow;
import dev.weir.store.jdbc.rows.Changes;
import dev.weir.store.jdbc.rows.HoldCodec;
import dev.weir.store.jdbc.rows.PolicyFirstSeen;
import dev.weir.store.jdbc.rows.RowCharge;
import dev.weir.store.jdbc.rows.RowKey;
import dev.weir.store.jdbc.rows.RowsToLoad;
import dev.weir.store.jdbc.rows.SqlPolicy;
import dev.weir.store.jdbc.rows.SqlRequest;
import dev.weir.store.jdbc.rows.StateColumns;
import dev.weir.store.jdbc.rows.TransactionRows;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests of any kind inside an open transaction: reads rows, calls core's ledgers, writes the changed rows.
 */
public final class SqliteTransaction {
    private static final String BUDGET = "SELECT policy, a, b, more FROM weir_budget WHERE key = ?";
    private static final String HOLD = "SELECT content, ends_at, closed FROM weir_hold WHERE id = ?";

    private final SqliteConnection connection;
    private final Object store;
    private final PolicyFirstSeen policyFirstSeen = new PolicyFirstSeen();

    SqliteTransaction(SqliteConnection connection, Object store) {
        this.connection = connection;
        this.store = store;
    }

    /**
     * Decides the requests.
     *
     * @param met receives when the store first saw policies; pass it to {@link #remember} after the commit
     */
    List<Object> decide(List<SqlRequest> sqlRequests, StoreTime now, Map<SqlPolicy, Long> met) throws SQLException {
        TransactionRows transactionRows = load(RowsToLoad.of(sqlRequests), now, met);
        List<Object> answers = transactionRows.decide(sqlRequests);
        for (Changes.SqlStatement change : Changes.of(transactionRows, met, true)) {
            write(change);
        }
        return answers;
    }

    void remember(Map<SqlPolicy, Long> met) {
        policyFirstSeen.remember(met);
    }

    private TransactionRows load(RowsToLoad rowsToLoad, StoreTime now, Map<SqlPolicy, Long> met) throws SQLException {
        TransactionRows transactionRows =
                new TransactionRows(store, now, sqlPolicy -> policyFirstSeen.firstSeenAt(sqlPolicy, met));
        for (RowKey key : rowsToLoad.budgets()) {
            transactionRows.add(budget(key));
        }
        for (RowKey id : rowsToLoad.holds()) {
            StoredHold<RowCharge> hold = hold(id);
            if (hold != null) {
                transactionRows.add(id, hold);
                for (RowCharge asked : hold.charges()) {
                    transactionRows.add(budget(asked.key()));
                }
            }
        }
        policyFirstSeen.complete(met, rowsToLoad.policyFirstSeen(), now.micros(), connection.jdbc());
        policyFirstSeen.complete(met, transactionRows.policyFirstSeen(), now.micros(), connection.jdbc());
        return transactionRows;
    }

    private void write(Changes.SqlStatement change) throws SQLException {
        PreparedStatement statement = connection.statement(change.sql());
        for (int i = 0; i < change.values().size(); i++) {
            Object value = change.values().get(i);
            statement.setObject(i + 1, value instanceof long[] numbers ? StateColumns.bytes(numbers) : value);
        }
        statement.executeUpdate();
    }

    private BudgetRow budget(RowKey key) throws SQLException {
        PreparedStatement statement = connection.statement(BUDGET);
        statement.setBytes(1, key.bytes());
        try (ResultSet found = statement.executeQuery()) {
            return found.next()
                    ? BudgetRow.found(
                            key,
                            found.getString(1),
                            new StateColumns(
                                    found.getLong(2), found.getLong(3), StateColumns.numbers(found.getBytes(4))))
                    : BudgetRow.absent(key);
        }
    }

    private @Nullable StoredHold<RowCharge> hold(RowKey id) throws SQLException {
        PreparedStatement statement = connection.statement(HOLD);
        statement.setBytes(1, id.bytes());
        try (ResultSet found = statement.executeQuery()) {
            return found.next() ? HoldCodec.read(found.getBytes(1), found.getLong(2), found.getInt(3) == 1) : null;
        }
    }
}

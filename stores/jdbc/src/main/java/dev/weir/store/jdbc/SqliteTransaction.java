package dev.weir.store.jdbc;

import dev.weir.StoreException;
import dev.weir.ledger.Hold;
import dev.weir.ledger.Moment;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Loads what questions need, and writes what they have changed, inside a transaction that its caller holds. */
final class SqliteTransaction {
    private static final String BUDGET = "SELECT policy, a, b, more FROM weir_budget WHERE key = ?";
    private static final String PUT_BUDGET = "INSERT INTO weir_budget (key, policy, a, b, more, whole_at)"
            + " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET policy = excluded.policy, a = excluded.a,"
            + " b = excluded.b, more = excluded.more, whole_at = excluded.whole_at";
    private static final String CHANGE_BUDGET = "UPDATE weir_budget SET a = ?, b = ?, whole_at = ? WHERE key = ?";
    private static final String REMOVE_BUDGET = "DELETE FROM weir_budget WHERE key = ?";
    private static final String HOLD = "SELECT content, ends_at, closed FROM weir_hold WHERE id = ?";
    private static final String PUT_HOLD = "INSERT INTO weir_hold (id, content, ends_at, closed) VALUES (?, ?, ?, ?)"
            + " ON CONFLICT (id) DO UPDATE SET content = excluded.content, ends_at = excluded.ends_at,"
            + " closed = excluded.closed";
    private static final String REMOVE_HOLD = "DELETE FROM weir_hold WHERE id = ?";
    private static final String MET = "SELECT at FROM weir_met WHERE policy = ?";
    private static final String PUT_MET = "INSERT INTO weir_met (policy, at) VALUES (?, ?)";

    private final SqliteConnection connection;
    private final Object store;
    private final Map<Terms, Long> met;
    private final SqliteMemory memory;

    /** @param met when policies were met, as far as this process knows */
    SqliteTransaction(SqliteConnection connection, Object store, Map<Terms, Long> met, SqliteMemory memory) {
        this.connection = connection;
        this.store = store;
        this.met = met;
        this.memory = memory;
    }

    Workspace load(Needs needs, Moment now) throws SQLException {
        Workspace workspace = new Workspace(store, now, terms -> metAt(terms, now.micros()));
        for (Terms terms : needs.meetings()) {
            long unused = metAt(terms, now.micros());
        }
        for (RowKey key : needs.budgets()) {
            workspace.add(budget(key));
        }
        for (RowKey id : needs.holds()) {
            Hold<Asked> hold = hold(id);
            workspace.add(id, hold);
            for (Asked asked : hold == null ? List.<Asked>of() : hold.charges()) {
                if (!needs.budgets().contains(asked.key())) {
                    workspace.add(budget(asked.key()));
                    needs.budget(asked.key());
                }
            }
        }
        return workspace;
    }

    /** Writes what was changed; answers whether anything was. */
    boolean write(Workspace workspace) throws SQLException {
        boolean wrote = false;
        for (Row row : workspace.rows()) {
            wrote |= write(row, workspace);
        }
        for (Map.Entry<RowKey, @Nullable Hold<Asked>> changed :
                workspace.changedHolds().entrySet()) {
            write(changed.getKey(), changed.getValue());
            wrote = true;
        }
        return wrote;
    }

    private boolean write(Row row, Workspace workspace) throws SQLException {
        if (row.isToWrite()) {
            long until = workspace.keepUntil(row);
            if (until > 0) {
                put(row, until);
            } else {
                remove(REMOVE_BUDGET, row.key());
            }
            return true;
        }
        if (row.isToRemove()) {
            remove(REMOVE_BUDGET, row.key());
            return true;
        }
        return false;
    }

    private Row budget(RowKey key) throws SQLException {
        Row known = memory.recall(key);
        return known == null ? read(key) : known;
    }

    private Row read(RowKey key) throws SQLException {
        PreparedStatement statement = connection.statement(BUDGET);
        statement.setBytes(1, key.bytes());
        try (ResultSet found = statement.executeQuery()) {
            return found.next()
                    ? Row.found(
                            key,
                            found.getString(1),
                            new States(found.getLong(2), found.getLong(3), States.numbers(found.getBytes(4))))
                    : Row.absent(key);
        }
    }

    private void put(Row row, long wholeAt) throws SQLException {
        States states = States.of(row.kept());
        String text = row.text();
        if (states.more() == null && row.isFoundUnder(text)) {
            change(row.key(), states, wholeAt);
            return;
        }
        PreparedStatement statement = connection.statement(PUT_BUDGET);
        statement.setBytes(1, row.key().bytes());
        statement.setString(2, text);
        statement.setLong(3, states.a());
        statement.setLong(4, states.b());
        statement.setBytes(5, States.bytes(states.more()));
        statement.setLong(6, wholeAt);
        statement.executeUpdate();
    }

    private void change(RowKey key, States states, long wholeAt) throws SQLException {
        PreparedStatement statement = connection.statement(CHANGE_BUDGET);
        statement.setLong(1, states.a());
        statement.setLong(2, states.b());
        statement.setLong(3, wholeAt);
        statement.setBytes(4, key.bytes());
        if (statement.executeUpdate() != 1) {
            throw new StoreException("a row of the SQLite file is gone that was just there", true, null);
        }
    }

    private @Nullable Hold<Asked> hold(RowKey id) throws SQLException {
        PreparedStatement statement = connection.statement(HOLD);
        statement.setBytes(1, id.bytes());
        try (ResultSet found = statement.executeQuery()) {
            return found.next() ? HoldCodec.read(found.getBytes(1), found.getLong(2), found.getInt(3) == 1) : null;
        }
    }

    private void write(RowKey id, @Nullable Hold<Asked> hold) throws SQLException {
        if (hold == null) {
            remove(REMOVE_HOLD, id);
            return;
        }
        PreparedStatement statement = connection.statement(PUT_HOLD);
        statement.setBytes(1, id.bytes());
        statement.setBytes(2, HoldCodec.write(hold));
        statement.setLong(3, hold.endsAt());
        statement.setInt(4, hold.closed() ? 1 : 0);
        statement.executeUpdate();
    }

    private void remove(String sql, RowKey key) throws SQLException {
        PreparedStatement statement = connection.statement(sql);
        statement.setBytes(1, key.bytes());
        statement.executeUpdate();
    }

    /** When the policy was met, which may be now. Remembered by the caller once it is committed. */
    private long metAt(Terms terms, long nowMicros) {
        Long known = met.get(terms);
        if (known != null) {
            return known;
        }
        try {
            PreparedStatement statement = connection.statement(MET);
            statement.setString(1, terms.text());
            long at = nowMicros;
            try (ResultSet found = statement.executeQuery()) {
                if (found.next()) {
                    at = found.getLong(1);
                } else {
                    PreparedStatement put = connection.statement(PUT_MET);
                    put.setString(1, terms.text());
                    put.setLong(2, at);
                    put.executeUpdate();
                }
            }
            met.put(terms, at);
            return at;
        } catch (SQLException e) {
            throw new UncheckedSqlException(e);
        }
    }

    /** A failure of the database where no other may be thrown. */
    static final class UncheckedSqlException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final SQLException sql;

        UncheckedSqlException(SQLException cause) {
            super(cause);
            this.sql = cause;
        }

        SQLException sql() {
            return sql;
        }
    }
}

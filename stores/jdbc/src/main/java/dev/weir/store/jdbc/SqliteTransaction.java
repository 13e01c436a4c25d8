package dev.weir.store.jdbc;

import dev.weir.ledger.Hold;
import dev.weir.ledger.Moment;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Questions of any kind in a transaction that its caller holds: core's ledgers decide between reading and writing rows. */
final class SqliteTransaction {
    private static final String BUDGET = "SELECT policy, a, b, more FROM weir_budget WHERE key = ?";
    private static final String HOLD = "SELECT content, ends_at, closed FROM weir_hold WHERE id = ?";

    private final SqliteConnection connection;
    private final Object store;
    private final Meetings meetings = new Meetings();

    SqliteTransaction(SqliteConnection connection, Object store) {
        this.connection = connection;
        this.store = store;
    }

    /**
     * Decides the questions.
     *
     * @param met finds when policies were met, to be {@linkplain #remember remembered} once it is committed
     */
    List<Object> decide(List<Question> questions, Moment now, Map<Terms, Long> met) throws SQLException {
        Workspace workspace = load(Needs.of(questions), now, met);
        List<Object> answers = workspace.decide(questions);
        for (Changes.Change change : Changes.of(workspace, met, true)) {
            write(change);
        }
        return answers;
    }

    void remember(Map<Terms, Long> met) {
        meetings.remember(met);
    }

    private Workspace load(Needs needs, Moment now, Map<Terms, Long> met) throws SQLException {
        Workspace workspace = new Workspace(store, now, terms -> meetings.metAt(terms, met));
        for (RowKey key : needs.budgets()) {
            workspace.add(budget(key));
        }
        for (RowKey id : needs.holds()) {
            Hold<Asked> hold = hold(id);
            if (hold != null) {
                workspace.add(id, hold);
                for (Asked asked : hold.charges()) {
                    workspace.add(budget(asked.key()));
                }
            }
        }
        meetings.complete(met, needs.meetings(), now.micros(), connection.jdbc());
        meetings.complete(met, workspace.meetings(), now.micros(), connection.jdbc());
        return workspace;
    }

    private void write(Changes.Change change) throws SQLException {
        PreparedStatement statement = connection.statement(change.sql());
        for (int i = 0; i < change.values().size(); i++) {
            Object value = change.values().get(i);
            statement.setObject(i + 1, value instanceof long[] numbers ? States.bytes(numbers) : value);
        }
        statement.executeUpdate();
    }

    private Row budget(RowKey key) throws SQLException {
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

    private @Nullable Hold<Asked> hold(RowKey id) throws SQLException {
        PreparedStatement statement = connection.statement(HOLD);
        statement.setBytes(1, id.bytes());
        try (ResultSet found = statement.executeQuery()) {
            return found.next() ? HoldCodec.read(found.getBytes(1), found.getLong(2), found.getInt(3) == 1) : null;
        }
    }
}

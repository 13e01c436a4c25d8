package dev.weir.store.jdbc;

import dev.weir.StoreException;
import dev.weir.ledger.Budget;
import dev.weir.ledger.Hold;
import dev.weir.ledger.Moment;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Questions of any kind in a transaction that its caller holds: core's ledgers decide between reading and writing rows. */
final class SqliteTransaction {
    /**
     * Writes a plain check if all is as it was when it was decided. By the numbers of the parameters: 1 key, 2 policy,
     * 3 to 5 the row as it shall be, 6 what the clock is ahead, 7 and 8 the row's numbers as they were, null if there was none.
     */
    private static final String REPLACE = """
            INSERT INTO weir_budget (key, policy, a, b, whole_at)
            SELECT ?1, ?2, ?3, ?4, ?5 FROM weir_clock WHERE ahead = ?6
            ON CONFLICT (key) DO UPDATE SET a = excluded.a, b = excluded.b, whole_at = excluded.whole_at
            WHERE policy = excluded.policy AND a = ?7 AND b = ?8
            """;

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
    private static final String PUT_MET = "INSERT INTO weir_met (policy, at) VALUES (?, ?) ON CONFLICT DO NOTHING";

    private final SqliteConnection connection;
    private final Object store;
    private final Meetings meetings;
    private final SqliteMemory memory;

    SqliteTransaction(SqliteConnection connection, Object store, Meetings meetings, SqliteMemory memory) {
        this.connection = connection;
        this.store = store;
        this.meetings = meetings;
        this.memory = memory;
    }

    /** What became of questions; it counts once the transaction is committed. */
    record Decided(List<Object> answers, Collection<Row> rows, Map<Terms, Long> met) {}

    Decided decide(List<Question> questions, Moment now) throws SQLException {
        Map<Terms, Long> met = new HashMap<>();
        Workspace workspace = load(Needs.of(questions), now, met);
        List<Object> answers = workspace.decide(questions);
        write(workspace, met);
        return new Decided(answers, workspace.rows(), met);
    }

    /**
     * Decides a plain check on its row as this process remembers it, or reads it first, and spends it by one statement, which
     * is a transaction by itself. Null if it takes another transaction: the charge does not fit, or somebody else has written.
     *
     * @param ahead what the clock is ahead, as far as this process knows
     */
    @Nullable
    Object decideAlone(Question question, Asked plain, Moment now, long ahead) throws SQLException {
        Row row = budget(plain.key());
        Budget kept = row.kept();
        if (row.mark() != null
                || (kept != null && !row.isFoundUnder(plain.terms().text()))) {
            return null;
        }
        States before = kept == null ? null : States.of(kept);
        Workspace workspace = new Workspace(store, now, terms -> 0);
        workspace.add(row);
        Object answer = question.decide(workspace);
        boolean fits = row.isToWrite();
        if (fits && !replace(before, row, workspace.keepUntil(row), ahead)) {
            return null;
        }
        memory.keep(row);
        return fits ? answer : null;
    }

    private boolean replace(@Nullable States before, Row row, long wholeAt, long ahead) throws SQLException {
        States states = States.of(row.kept());
        PreparedStatement statement = connection.statement(REPLACE);
        statement.setBytes(1, row.key().bytes());
        statement.setString(2, row.text());
        statement.setLong(3, states.a());
        statement.setLong(4, states.b());
        statement.setLong(5, wholeAt);
        statement.setLong(6, ahead);
        statement.setObject(7, before == null ? null : before.a());
        statement.setObject(8, before == null ? null : before.b());
        return statement.executeUpdate() == 1;
    }

    private Workspace load(Needs needs, Moment now, Map<Terms, Long> met) throws SQLException {
        Workspace workspace = new Workspace(store, now, terms -> meetings.metAt(terms, met));
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
        meetings.complete(met, needs.meetings(), now.micros(), connection.jdbc());
        meetings.complete(met, workspace.meetings(), now.micros(), connection.jdbc());
        return workspace;
    }

    private void write(Workspace workspace, Map<Terms, Long> met) throws SQLException {
        for (Row row : workspace.rows()) {
            write(row, workspace);
        }
        for (Map.Entry<RowKey, @Nullable Hold<Asked>> changed :
                workspace.changedHolds().entrySet()) {
            write(changed.getKey(), changed.getValue());
        }
        for (Map.Entry<Terms, Long> meeting : met.entrySet()) {
            PreparedStatement statement = connection.statement(PUT_MET);
            statement.setString(1, meeting.getKey().text());
            statement.setLong(2, meeting.getValue());
            statement.executeUpdate();
        }
    }

    private void write(Row row, Workspace workspace) throws SQLException {
        long until = row.isToWrite() ? workspace.keepUntil(row) : 0;
        if (until > 0) {
            put(row, until);
        } else if (row.isToRemove()) {
            remove(REMOVE_BUDGET, row.key());
        }
    }

    private Row budget(RowKey key) throws SQLException {
        Row known = memory.take(key);
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
}

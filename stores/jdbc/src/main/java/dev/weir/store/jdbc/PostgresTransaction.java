package dev.weir.store.jdbc;

import dev.weir.ledger.Hold;
import dev.weir.ledger.Moment;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Questions of any kind in one transaction: rows are locked and loaded in one round trip, core's ledgers decide, and what
 * changed is written in another.
 */
final class PostgresTransaction {
    private static final String LOAD = "SELECT kind, key, policy, a, b, more, content FROM weir_load(?, ?, ?, ?, ?, ?)";

    private final Object store;
    private final SteadyTime time;
    private final Meetings meetings;
    private final @Nullable GivenClock given;

    PostgresTransaction(Object store, SteadyTime time, Meetings meetings, @Nullable GivenClock given) {
        this.store = store;
        this.time = time;
        this.meetings = meetings;
        this.given = given;
    }

    /**
     * Decides the questions on a connection in a transaction, which is committed with the last round trip; if nothing was
     * written, its caller ends it.
     */
    List<Object> decide(Connection connection, List<Question> questions) throws SQLException {
        Needs needs = Needs.of(questions);
        Map<Terms, Long> met = new HashMap<>();
        Workspace workspace = load(connection, needs, met);
        List<Object> answers = new ArrayList<>(questions.size());
        for (Question question : questions) {
            answers.add(question.decide(workspace));
        }
        write(connection, workspace, met);
        meetings.remember(met);
        return answers;
    }

    private Workspace load(Connection connection, Needs needs, Map<Terms, Long> met) throws SQLException {
        List<Terms> unmet = meetings.unknownOf(needs.meetings());
        long latest = time.latest();
        Map<RowKey, Row> rows = new HashMap<>();
        Map<RowKey, Hold<Asked>> holds = new HashMap<>();
        Moment now = new Moment(0, 0);
        try (PreparedStatement statement = connection.prepareStatement(LOAD)) {
            PostgresConnections.setLongs(statement, 1, locks(needs, unmet));
            PostgresConnections.setKeys(statement, 2, List.copyOf(needs.budgets()));
            PostgresConnections.setKeys(statement, 3, List.copyOf(needs.holds()));
            PostgresConnections.setTexts(
                    statement, 4, unmet.stream().map(Terms::text).toArray(String[]::new));
            statement.setLong(5, latest);
            setClock(statement, 6, given);
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    switch (found.getInt(1)) {
                        case 0 -> now = new Moment(found.getLong(4), wall(found.getLong(5)));
                        case 1 -> {
                            RowKey key = RowKey.of(found.getBytes(2));
                            rows.put(key, budget(key, found));
                        }
                        case 2 ->
                            holds.put(
                                    RowKey.of(found.getBytes(2)),
                                    HoldCodec.read(found.getBytes(7), found.getLong(4), found.getLong(5) == 1));
                        default -> met.put(Terms.of(found.getString(3)), found.getLong(4));
                    }
                }
            }
        }
        time.saw(now.micros());
        return workspace(connection, needs, met, rows, holds, now);
    }

    private Workspace workspace(
            Connection connection,
            Needs needs,
            Map<Terms, Long> met,
            Map<RowKey, Row> rows,
            Map<RowKey, Hold<Asked>> holds,
            Moment now) {
        Workspace workspace = new Workspace(store, now, terms -> meetings.metAt(terms, now.micros(), met, connection));
        for (Terms terms : needs.meetings()) {
            long unused = meetings.metAt(terms, now.micros(), met, connection);
        }
        Set<RowKey> keys = new HashSet<>(needs.budgets());
        for (RowKey id : needs.holds()) {
            Hold<Asked> hold = holds.get(id);
            workspace.add(id, hold);
            if (hold != null) {
                hold.charges().forEach(asked -> keys.add(asked.key()));
            }
        }
        for (RowKey key : keys) {
            Row row = rows.get(key);
            workspace.add(row == null ? Row.absent(key) : row);
        }
        return workspace;
    }

    private long wall(long databaseMillis) {
        return given == null ? databaseMillis : given.wallMillis();
    }

    private static long[] locks(Needs needs, Collection<Terms> unmet) {
        Set<Long> locks = new TreeSet<>();
        needs.budgets().forEach(key -> locks.add(key.lock()));
        needs.holds().forEach(id -> locks.add(id.lock()));
        unmet.forEach(terms -> locks.add(Meetings.lock(terms)));
        return locks.stream().mapToLong(Long::longValue).toArray();
    }

    static void setClock(PreparedStatement statement, int index, @Nullable GivenClock given) throws SQLException {
        if (given == null) {
            statement.setNull(index, Types.BIGINT);
        } else {
            statement.setLong(index, given.micros());
        }
    }

    static void setWall(PreparedStatement statement, int index, @Nullable GivenClock given) throws SQLException {
        if (given == null) {
            statement.setNull(index, Types.BIGINT);
        } else {
            statement.setLong(index, given.wallMillis());
        }
    }

    private static Row budget(RowKey key, ResultSet found) throws SQLException {
        return Row.found(
                key, found.getString(3), new States(found.getLong(4), found.getLong(5), numbers(found.getArray(6))));
    }

    static long @Nullable [] numbers(@Nullable Array array) throws SQLException {
        if (array == null) {
            return null;
        }
        Long[] boxed = (Long[]) array.getArray();
        long[] numbers = new long[boxed.length];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = boxed[i];
        }
        return numbers;
    }

    private static void write(Connection connection, Workspace workspace, Map<Terms, Long> met) throws SQLException {
        PostgresChanges changes = PostgresChanges.of(workspace);
        met.forEach((terms, at) -> {
            if (at == workspace.now().micros()) {
                changes.meet(terms);
            }
        });
        if (!changes.isEmpty()) {
            changes.commit(connection);
        }
    }
}

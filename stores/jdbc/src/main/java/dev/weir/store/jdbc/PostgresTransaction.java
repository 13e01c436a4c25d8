package dev.weir.store.jdbc;

import dev.weir.ledger.Moment;
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
        Map<Terms, Long> met = new HashMap<>();
        Workspace workspace = load(connection, Needs.of(questions), met);
        List<Object> answers = workspace.decide(questions);
        List<Changes.Change> changes = Changes.of(workspace, met, false);
        if (!changes.isEmpty()) {
            commit(connection, changes);
        }
        meetings.remember(met);
        return answers;
    }

    private Workspace load(Connection connection, Needs needs, Map<Terms, Long> met) throws SQLException {
        List<Terms> unmet = meetings.unknownOf(needs.meetings());
        long latest = time.latest();
        Workspace workspace;
        try (PreparedStatement statement = connection.prepareStatement(LOAD)) {
            PostgresConnections.setLongs(statement, 1, locks(needs, unmet));
            PostgresConnections.setKeys(statement, 2, List.copyOf(needs.budgets()));
            PostgresConnections.setKeys(statement, 3, List.copyOf(needs.holds()));
            PostgresConnections.setTexts(
                    statement, 4, unmet.stream().map(Terms::text).toArray(String[]::new));
            statement.setLong(5, latest);
            statement.setObject(6, given == null ? null : given.micros(), Types.BIGINT);
            try (ResultSet found = statement.executeQuery()) {
                found.next();
                Moment now = new Moment(found.getLong(4), given == null ? found.getLong(5) : given.wallMillis());
                workspace = new Workspace(store, now, terms -> meetings.metAt(terms, met));
                while (found.next()) {
                    add(found, workspace, met);
                }
            }
        }
        time.saw(workspace.now().micros());
        workspace.addMissing(needs.budgets());
        meetings.complete(met, needs.meetings(), workspace.now().micros(), connection);
        meetings.complete(met, workspace.meetings(), workspace.now().micros(), connection);
        return workspace;
    }

    private static void add(ResultSet found, Workspace workspace, Map<Terms, Long> met) throws SQLException {
        switch (found.getInt(1)) {
            case 1 ->
                workspace.add(Row.found(
                        RowKey.of(found.getBytes(2)), found.getString(3), PostgresConnections.states(found, 4)));
            case 2 ->
                workspace.add(
                        RowKey.of(found.getBytes(2)),
                        HoldCodec.read(found.getBytes(7), found.getLong(4), found.getLong(5) == 1));
            default -> met.put(Terms.of(found.getString(3)), found.getLong(4));
        }
    }

    private static long[] locks(Needs needs, Collection<Terms> unmet) {
        Set<Long> locks = new TreeSet<>();
        needs.budgets().forEach(key -> locks.add(key.lock()));
        needs.holds().forEach(id -> locks.add(id.lock()));
        unmet.forEach(terms -> locks.add(Meetings.lock(terms)));
        return locks.stream().mapToLong(Long::longValue).toArray();
    }

    /** Writes all of it, and ends the transaction, in one round trip: the driver sends all statements at once. */
    private static void commit(Connection connection, List<Changes.Change> changes) throws SQLException {
        String sql = changes.stream().map(Changes.Change::sql).collect(Collectors.joining("; ", "", "; COMMIT"));
        try (PreparedStatement write = connection.prepareStatement(sql)) {
            int index = 1;
            for (Changes.Change change : changes) {
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

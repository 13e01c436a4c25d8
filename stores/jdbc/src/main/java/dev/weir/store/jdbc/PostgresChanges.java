package dev.weir.store.jdbc;

import dev.weir.ledger.Hold;
import dev.weir.ledger.Moment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What questions have changed, written and committed in one round trip. Not safe for use by several threads. */
final class PostgresChanges {
    /** The driver sends both at once. */
    private static final String WRITE =
            "SELECT weir_write(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?); COMMIT";

    private final Moment now;
    private final List<RowKey> gone = new ArrayList<>();
    private final List<RowKey> keys = new ArrayList<>();
    private final List<String> policies = new ArrayList<>();
    private final Numbers a = new Numbers();
    private final Numbers b = new Numbers();
    private final Numbers more = new Numbers();
    private final Numbers from = new Numbers();
    private final Numbers to = new Numbers();
    private final Numbers wholeAt = new Numbers();
    private final List<RowKey> ids = new ArrayList<>();
    private final List<byte[]> contents = new ArrayList<>();
    private final Numbers ends = new Numbers();
    private final Numbers closed = new Numbers();
    private final Numbers owners = new Numbers();
    private final List<RowKey> held = new ArrayList<>();
    private final List<String> met = new ArrayList<>();

    private PostgresChanges(Moment now) {
        this.now = now;
    }

    static PostgresChanges of(Workspace workspace) {
        PostgresChanges changes = new PostgresChanges(workspace.now());
        for (Row row : workspace.rows()) {
            if (row.isToRemove()) {
                changes.gone.add(row.key());
            } else if (row.isToWrite()) {
                changes.put(row, workspace.keepUntil(row));
            }
        }
        for (Map.Entry<RowKey, @Nullable Hold<Asked>> hold :
                workspace.changedHolds().entrySet()) {
            changes.put(hold.getKey(), hold.getValue());
        }
        return changes;
    }

    /** A policy that was met now. */
    void meet(Terms terms) {
        met.add(terms.text());
    }

    boolean isEmpty() {
        return gone.isEmpty() && keys.isEmpty() && ids.isEmpty() && met.isEmpty();
    }

    private void put(Row row, long until) {
        if (until == 0) {
            gone.add(row.key());
            return;
        }
        States states = States.of(row.kept());
        keys.add(row.key());
        policies.add(row.text());
        a.add(states.a());
        b.add(states.b());
        wholeAt.add(until);
        long[] others = states.more();
        from.add(others == null ? 0 : more.size() + 1);
        for (int i = 0; others != null && i < others.length; i++) {
            more.add(others[i]);
        }
        to.add(others == null ? 0 : more.size());
    }

    private void put(RowKey id, @Nullable Hold<Asked> hold) {
        ids.add(id);
        contents.add(hold == null ? new byte[0] : HoldCodec.write(hold));
        ends.add(hold == null ? 0 : hold.endsAt());
        closed.add(hold != null && hold.closed() ? 1 : 0);
        Set<RowKey> distinct = new HashSet<>();
        for (Asked asked : hold == null ? List.<Asked>of() : hold.charges()) {
            if (distinct.add(asked.key())) {
                owners.add(ids.size());
                held.add(asked.key());
            }
        }
    }

    /** Writes all of it, and ends the transaction. */
    void commit(Connection connection) throws SQLException {
        try (PreparedStatement write = connection.prepareStatement(WRITE)) {
            PostgresConnections.setKeys(write, 1, gone);
            PostgresConnections.setKeys(write, 2, keys);
            PostgresConnections.setTexts(write, 3, policies.toArray(String[]::new));
            PostgresConnections.setLongs(write, 4, a.longs());
            PostgresConnections.setLongs(write, 5, b.longs());
            PostgresConnections.setLongs(write, 6, more.longs());
            PostgresConnections.setInts(write, 7, from.ints());
            PostgresConnections.setInts(write, 8, to.ints());
            PostgresConnections.setLongs(write, 9, wholeAt.longs());
            PostgresConnections.setKeys(write, 10, ids);
            PostgresConnections.setBytes(write, 11, contents.toArray(byte[][]::new));
            PostgresConnections.setLongs(write, 12, ends.longs());
            PostgresConnections.setLongs(write, 13, closed.longs());
            PostgresConnections.setInts(write, 14, owners.ints());
            PostgresConnections.setKeys(write, 15, held);
            PostgresConnections.setLongs(
                    write, 16, held.stream().mapToLong(RowKey::lock).toArray());
            PostgresConnections.setTexts(write, 17, met.toArray(String[]::new));
            write.setLong(18, now.micros());
            write.execute();
        }
    }

    /** Numbers of a column. */
    private static final class Numbers {
        private final List<Long> all = new ArrayList<>();

        void add(long number) {
            all.add(number);
        }

        int size() {
            return all.size();
        }

        long[] longs() {
            return all.stream().mapToLong(Long::longValue).toArray();
        }

        int[] ints() {
            return all.stream().mapToInt(Long::intValue).toArray();
        }
    }
}

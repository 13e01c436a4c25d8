package dev.weir.store.jdbc.rows;

import dev.weir.ledger.StoredHold;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The statements that write the rows changed by a batch. Not safe for use by several threads. */
public final class Changes {
    private static final String PUT_BUDGET = "INSERT INTO weir_budget (key, policy, a, b, more, whole_at)"
            + " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET policy = excluded.policy, a = excluded.a,"
            + " b = excluded.b, more = excluded.more, whole_at = excluded.whole_at";
    private static final String CHANGE_BUDGET = "UPDATE weir_budget SET a = ?, b = ?, whole_at = ? WHERE key = ?";
    private static final String REMOVE_BUDGET = "DELETE FROM weir_budget WHERE key = ?";
    private static final String PUT_HOLD = "INSERT INTO weir_hold (id, content, ends_at, closed) VALUES (?, ?, ?, ?)"
            + " ON CONFLICT (id) DO UPDATE SET content = excluded.content, ends_at = excluded.ends_at,"
            + " closed = excluded.closed";
    private static final String PUT_LOCKED_HOLD = PUT_HOLD.replace("closed)", "closed, keys, locks)")
            .replace("?)", "?, ?, ?)")
            .concat(", keys = excluded.keys, locks = excluded.locks");
    private static final String REMOVE_HOLD = "DELETE FROM weir_hold WHERE id = ?";
    private static final String PUT_MET = "INSERT INTO weir_met (policy, at) VALUES (?, ?) ON CONFLICT DO NOTHING";

    private final boolean isAlone;
    private final List<SqlStatement> all = new ArrayList<>();

    /**
     * One statement.
     *
     * @param values its parameters: numbers, texts, bytes, booleans, null, and arrays of numbers or of bytes
     */
    public record SqlStatement(String sql, List<@Nullable Object> values) {}

    private Changes(boolean isAlone) {
        this.isAlone = isAlone;
    }

    /**
     * The statements.
     *
     * @param met when the store first saw policies: now or before
     * @param isAlone whether no other connection can write before the commit, not even the cleanup; otherwise the rows
     *     of holds contain the keys and locks of their budgets
     */
    public static List<SqlStatement> of(TransactionRows transactionRows, Map<SqlPolicy, Long> met, boolean isAlone) {
        Changes changes = new Changes(isAlone);
        for (BudgetRow row : transactionRows.rows()) {
            long until = row.isToWrite() ? transactionRows.keepUntil(row) : 0;
            if (until > 0) {
                changes.put(row, until);
            } else if (row.isToRemove()) {
                changes.add(REMOVE_BUDGET, row.key().bytes());
            }
        }
        transactionRows.changedHolds().forEach(changes::put);
        met.forEach((sqlPolicy, at) -> {
            if (at == transactionRows.now().micros()) {
                changes.add(PUT_MET, sqlPolicy.text(), at);
            }
        });
        return changes.all;
    }

    private void put(BudgetRow row, long until) {
        StateColumns states = StateColumns.of(row.kept());
        String text = row.text();
        byte[] key = row.key().bytes();
        if (isAlone && states.more() == null && row.isFoundUnder(text)) {
            add(CHANGE_BUDGET, states.a(), states.b(), until, key);
        } else {
            add(PUT_BUDGET, key, text, states.a(), states.b(), states.more(), until);
        }
    }

    private void put(RowKey id, @Nullable StoredHold<RowCharge> hold) {
        if (hold == null) {
            add(REMOVE_HOLD, id.bytes());
        } else if (isAlone) {
            add(PUT_HOLD, id.bytes(), HoldCodec.write(hold), hold.endsAt(), hold.closed());
        } else {
            Set<RowKey> keys = new HashSet<>();
            hold.charges().forEach(asked -> keys.add(asked.key()));
            add(
                    PUT_LOCKED_HOLD,
                    id.bytes(),
                    HoldCodec.write(hold),
                    hold.endsAt(),
                    hold.closed(),
                    keys.stream().map(RowKey::bytes).toArray(byte[][]::new),
                    keys.stream().mapToLong(RowKey::lock).toArray());
        }
    }

    private void add(String sql, @Nullable Object... values) {
        all.add(new SqlStatement(sql, Arrays.asList(values)));
    }
}

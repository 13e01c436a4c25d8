package dev.weir.store.jdbc;

import dev.weir.ledger.Budget;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Budgets as this process last wrote or read them, so that they need not be read again: with many keys that is most of
 * what a batch costs.
 *
 * <p>Exact: they count only inside a transaction that holds the file's write lock, and only while SQLite's
 * {@code data_version} says that no other connection has written since; or where the statement that writes compares them with
 * the row. Whatever this connection does besides deciding, and every failure, empties it. Bounded, and only of policies that
 * are plain. Not safe for use by several threads.
 */
final class SqliteMemory {
    private static final int MOST = 16_384;

    private final Map<RowKey, Budget> budgets = new LinkedHashMap<>(1_024, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RowKey, Budget> eldest) {
            return size() > MOST;
        }
    };

    private long version;

    /** Tells which version of the file the transaction has found: of another one nothing is known. */
    void begin(long dataVersion) {
        if (dataVersion != version) {
            budgets.clear();
            version = dataVersion;
        }
    }

    /** The key's row, which is forgotten until it is kept again; null if it must be read. */
    @Nullable
    Row take(RowKey key) {
        Budget kept = budgets.remove(key);
        return kept == null ? null : Row.found(key, kept);
    }

    /** Remembers what a transaction has left, once that is committed. */
    void keep(Row row) {
        Budget kept = row.kept();
        if (kept != null
                && row.mark() == null
                && Terms.of(kept.meter().policy()).isPlain()) {
            budgets.put(row.key(), kept);
        } else {
            budgets.remove(row.key());
        }
    }

    void forgetAll() {
        budgets.clear();
    }
}

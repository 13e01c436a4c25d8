package dev.weir.store.jdbc;

import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.TokenBucket;
import dev.weir.ledger.Budget;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Budgets as this process last wrote or read them, so that a batch need not read them again.
 *
 * <p>Exact: they count only inside a transaction that holds the file's write lock, and only while SQLite's
 * {@code data_version} says that no other connection has written since. Whatever this connection does besides deciding,
 * and every failure, empties it. Bounded, and only of the policies whose state is short. Not safe for use by several
 * threads.
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

    /** The key's row for the transaction; null if it must be read. What it keeps changes with the transaction. */
    @Nullable
    Row recall(RowKey key) {
        Budget kept = budgets.get(key);
        return kept == null ? null : Row.found(key, kept);
    }

    /** Remembers what the transaction has left, once that is committed. */
    void keep(Row row) {
        Budget kept = row.kept();
        if (kept != null && row.mark() == null && isShort(kept.meter().policy())) {
            budgets.put(row.key(), kept);
        } else {
            budgets.remove(row.key());
        }
    }

    /** Two numbers, which only spending and giving back change. */
    private static boolean isShort(Policy policy) {
        return policy instanceof TokenBucket || policy instanceof FixedWindow;
    }

    void forget(RowKey key) {
        budgets.remove(key);
    }

    void forgetAll() {
        budgets.clear();
    }
}

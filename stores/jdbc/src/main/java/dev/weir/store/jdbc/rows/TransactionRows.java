package dev.weir.store.jdbc.rows;

import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.ResetMark;
import dev.weir.ledger.Budget;
import dev.weir.ledger.HoldTable;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.LedgerOperations;
import dev.weir.ledger.LedgerOutcome;
import dev.weir.ledger.LedgerState;
import dev.weir.ledger.StoreTime;
import dev.weir.ledger.StoredHold;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one transaction in memory. Core's operations decide on them.
 *
 * <p>The life of an instance has three phases, all in the thread that executes the transaction:
 *
 * <ol>
 *   <li><em>Loading.</em> {@code add} puts each row and hold that the batch needs into the maps. A key without a row in
 *       the database has an {@linkplain BudgetRow#absent absent} row here, so every key of the batch has an entry. A key
 *       without one is a bug and throws {@link IllegalStateException}.
 *   <li><em>Deciding.</em> The requests are decided in the order of the batch, each on the rows that the ones before
 *       have left, all at the same time {@link #now()}. The ledgers change in memory only. A request that is denied
 *       changes nothing.
 *   <li><em>Writing.</em> {@link Changes} reads the rows and holds that changed. The fast path of PostgreSQL skips this
 *       phase: there the function has written the rows, and the ledgers only repeat its decisions.
 * </ol>
 *
 * <p>The time and the loaded rows are read while the database's locks are held (PostgreSQL: advisory locks; SQLite: the
 * write lock of the file) and the locks are released by the commit. So no other transaction decides on the same rows in
 * between, and the batch is as if each request were a transaction of its own. If the commit fails, the instance and its
 * decisions are dropped. Not safe for use by several threads.
 */
public final class TransactionRows implements LedgerState<RowCharge> {
    private final Object store;
    private final StoreTime now;
    private final FirstSeenLookup policyFirstSeen;
    private final Map<RowKey, BudgetRow> rows = new HashMap<>();
    private final Map<RowKey, StoredHold<RowCharge>> holds = new HashMap<>();
    private final Map<RowKey, @Nullable StoredHold<RowCharge>> changedHolds = new HashMap<>();
    private final LedgerOperations<RowCharge> operations;
    /** The row found last, and the very key that it was found by: one check reads its row several times. */
    private @Nullable RowKey lastKey;

    private @Nullable BudgetRow lastRow;

    /** When the store first saw a policy. */
    public interface FirstSeenLookup {
        long firstSeenAt(SqlPolicy sqlPolicy);
    }

    public TransactionRows(Object store, StoreTime now, FirstSeenLookup policyFirstSeen) {
        this.store = store;
        this.now = now;
        this.policyFirstSeen = policyFirstSeen;
        this.operations = new LedgerOperations<>(
                this, new LoadedHolds(RowKey::ofReservation), new LoadedHolds(RowKey::ofLease), now);
    }

    public LedgerOperations<RowCharge> operations() {
        return operations;
    }

    /**
     * The decision for an outcome.
     *
     * @param reservation the id of the reservation, if there is one
     */
    public LedgerDecision decision(LedgerOutcome<RowCharge> outcome, @Nullable String reservation) {
        return LedgerDecision.of(store, RowCharge.charges(outcome.charges()), outcome, reservation);
    }

    // Loading.

    public void add(BudgetRow row) {
        ResetMark mark = row.mark();
        if (mark != null && !mark.isRemembered(now.micros())) {
            row.forgetMark();
        }
        rows.put(row.key(), row);
        lastRow = null;
    }

    public void add(RowKey id, StoredHold<RowCharge> hold) {
        holds.put(id, hold);
    }

    /** Adds absent rows for these keys and the keys of loaded holds, where no row was read. */
    public void addMissing(Collection<RowKey> keys) {
        keys.forEach(key -> rows.computeIfAbsent(key, BudgetRow::absent));
        holds.values()
                .forEach(hold -> hold.charges().forEach(asked -> rows.computeIfAbsent(asked.key(), BudgetRow::absent)));
    }

    /** The policies of loaded rows and holds that depend on when the store first saw them. */
    public Set<SqlPolicy> policyFirstSeen() {
        Set<SqlPolicy> all = new HashSet<>();
        for (BudgetRow row : rows.values()) {
            Budget kept = row.kept();
            if (kept != null && kept.model().startsFilling()) {
                all.add(SqlPolicy.of(kept.model().policy()));
            }
        }
        for (StoredHold<RowCharge> hold : holds.values()) {
            for (RowCharge asked : hold.charges()) {
                if (asked.sqlPolicy().startsFilling()) {
                    all.add(asked.sqlPolicy());
                }
            }
        }
        return all;
    }

    /** Decides the requests one after the other. */
    public List<Object> decide(List<SqlRequest> sqlRequests) {
        List<Object> answers = new ArrayList<>(sqlRequests.size());
        for (SqlRequest sqlRequest : sqlRequests) {
            answers.add(sqlRequest.decide(this));
        }
        return answers;
    }

    // Writing.

    public Collection<BudgetRow> rows() {
        return rows.values();
    }

    /** The holds to write; null for those to remove. */
    public Map<RowKey, @Nullable StoredHold<RowCharge>> changedHolds() {
        return changedHolds;
    }

    public StoreTime now() {
        return now;
    }

    /**
     * When the row expires; 0 if it has expired and is to be removed. Removes the budget from the row if the budget has
     * expired and the mark of a reset has not.
     */
    public long keepUntil(BudgetRow row) {
        ResetMark mark = row.mark();
        long remembered = mark == null ? 0 : mark.at() + ResetMark.REMEMBERED;
        Budget kept = row.kept();
        if (kept == null) {
            return remembered;
        }
        PolicyModel model = kept.model();
        long ticks = now.ticks(model);
        long filling = model.startsFilling() ? model.open(firstSeen(model, now)).resetAfter(ticks) : 0;
        long resetAfter = Math.max(kept.ledger().resetAfter(ticks), filling);
        if (resetAfter == 0) {
            row.forget();
            return remembered;
        }
        return Math.max(remembered, now.micros() + (model.followsCalendar() ? 1_000 * resetAfter : resetAfter));
    }

    /** Makes a budget full, frees its slots, and marks the row, so that nothing spent before is given back. */
    void reset(RowKey key) {
        BudgetRow row = row(key);
        row.forget();
        row.mark(ResetMark.next(row.mark(), now.micros()));
    }

    // Deciding: the state that core's operations read and change.

    @Override
    public @Nullable Budget budget(RowCharge asked) {
        return row(asked.key()).kept();
    }

    @Override
    public void keep(RowCharge asked, Budget budget, StoreTime same) {
        row(asked.key()).keep(budget);
    }

    @Override
    public long firstSeen(PolicyModel model, StoreTime same) {
        return policyFirstSeen.firstSeenAt(SqlPolicy.of(model.policy()));
    }

    @Override
    public long resetsSeen(RowCharge asked, StoreTime same) {
        ResetMark mark = row(asked.key()).mark();
        return mark == null ? 0 : mark.seen(now.micros());
    }

    @Override
    public boolean wasReset(RowCharge asked, StoreTime spentAt, long seen, StoreTime same) {
        ResetMark mark = row(asked.key()).mark();
        return mark != null && mark.cameAfter(spentAt.micros(), Math.toIntExact(seen));
    }

    @Override
    public void forgetResets(RowCharge asked) {
        row(asked.key()).forgetMark();
    }

    @SuppressWarnings("ReferenceEquality") // Another key that is equal is looked up, which gives the same row.
    private BudgetRow row(RowKey key) {
        BudgetRow row = key == lastKey ? lastRow : null;
        if (row == null) {
            row = rows.get(key);
            if (row == null) {
                throw new IllegalStateException("a row is used that was not loaded");
            }
            lastKey = key;
            lastRow = row;
        }
        return row;
    }

    /** The loaded reservations or the loaded leases. */
    private final class LoadedHolds implements HoldTable<RowCharge> {
        private final Function<String, RowKey> rowOf;

        LoadedHolds(Function<String, RowKey> rowOf) {
            this.rowOf = rowOf;
        }

        @Override
        public @Nullable StoredHold<RowCharge> get(String id) {
            return holds.get(rowOf.apply(id));
        }

        @Override
        public void put(String id, StoredHold<RowCharge> hold) {
            holds.put(rowOf.apply(id), hold);
            changedHolds.put(rowOf.apply(id), hold);
        }

        @Override
        public void remove(String id) {
            holds.remove(rowOf.apply(id));
            changedHolds.put(rowOf.apply(id), null);
        }
    }
}

package dev.weir.store.jdbc;

import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.ResetMark;
import dev.weir.ledger.Budget;
import dev.weir.ledger.Hold;
import dev.weir.ledger.HoldTable;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.LedgerOperations;
import dev.weir.ledger.LedgerOutcome;
import dev.weir.ledger.LedgerState;
import dev.weir.ledger.StoreTime;
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
 * The rows of one transaction, on which core's operations decide.
 *
 * <p>Questions are decided one after the other, each on what the ones before have left, all at one moment. Not safe for
 * use by several threads.
 */
final class TransactionRows implements LedgerState<RowCharge> {
    private final Object store;
    private final StoreTime now;
    private final FirstSeenLookup policyFirstSeen;
    private final Map<RowKey, BudgetRow> rows = new HashMap<>();
    private final Map<RowKey, Hold<RowCharge>> holds = new HashMap<>();
    private final Map<RowKey, @Nullable Hold<RowCharge>> changedHolds = new HashMap<>();
    private final LedgerOperations<RowCharge> operations;

    /** When the store first met a policy. */
    interface FirstSeenLookup {
        long firstSeenAt(SqlPolicy sqlPolicy);
    }

    TransactionRows(Object store, StoreTime now, FirstSeenLookup policyFirstSeen) {
        this.store = store;
        this.now = now;
        this.policyFirstSeen = policyFirstSeen;
        this.operations = new LedgerOperations<>(
                this, new LoadedHolds(RowKey::ofReservation), new LoadedHolds(RowKey::ofLease), now);
    }

    LedgerOperations<RowCharge> operations() {
        return operations;
    }

    /** @param reservation the id under which it can be settled */
    LedgerDecision decision(LedgerOutcome<RowCharge> outcome, @Nullable String reservation) {
        return LedgerDecision.of(store, RowCharge.charges(outcome.charges()), outcome, reservation);
    }

    // What was found.

    void add(BudgetRow row) {
        ResetMark mark = row.mark();
        if (mark != null && !mark.isRemembered(now.micros())) {
            row.forgetMark();
        }
        rows.put(row.key(), row);
    }

    void add(RowKey id, Hold<RowCharge> hold) {
        holds.put(id, hold);
    }

    /** Rows that were looked for, these and those of holds, and not found. */
    void addMissing(Collection<RowKey> keys) {
        keys.forEach(key -> rows.computeIfAbsent(key, BudgetRow::absent));
        holds.values()
                .forEach(hold -> hold.charges().forEach(asked -> rows.computeIfAbsent(asked.key(), BudgetRow::absent)));
    }

    /** The policies, of rows and of what holds have spent, of which it matters when the store first met them. */
    Set<SqlPolicy> policyFirstSeen() {
        Set<SqlPolicy> all = new HashSet<>();
        for (BudgetRow row : rows.values()) {
            Budget kept = row.kept();
            if (kept != null && kept.model().startsFilling()) {
                all.add(SqlPolicy.of(kept.model().policy()));
            }
        }
        for (Hold<RowCharge> hold : holds.values()) {
            for (RowCharge asked : hold.charges()) {
                if (asked.sqlPolicy().startsFilling()) {
                    all.add(asked.sqlPolicy());
                }
            }
        }
        return all;
    }

    /** Decides the questions one after the other. */
    List<Object> decide(List<SqlRequest> sqlRequests) {
        List<Object> answers = new ArrayList<>(sqlRequests.size());
        for (SqlRequest sqlRequest : sqlRequests) {
            answers.add(sqlRequest.decide(this));
        }
        return answers;
    }

    // What is to be written.

    Collection<BudgetRow> rows() {
        return rows.values();
    }

    /** Null for those to be removed. */
    Map<RowKey, @Nullable Hold<RowCharge>> changedHolds() {
        return changedHolds;
    }

    StoreTime now() {
        return now;
    }

    /**
     * Until when the row carries information; 0 if it does not any more, and is to be removed. What is written is without
     * a budget that carries none.
     */
    long keepUntil(BudgetRow row) {
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

    /** Makes a budget whole, frees its slots, and ends what was spent before. */
    void reset(RowKey key) {
        BudgetRow row = row(key);
        row.forget();
        row.mark(ResetMark.next(row.mark(), now.micros()));
    }

    // What core's operations read and change.

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

    private BudgetRow row(RowKey key) {
        BudgetRow row = rows.get(key);
        if (row == null) {
            throw new IllegalStateException("a row is used that was not asked for");
        }
        return row;
    }

    /** The reservations, or the leases, that were loaded. */
    private final class LoadedHolds implements HoldTable<RowCharge> {
        private final Function<String, RowKey> rowOf;

        LoadedHolds(Function<String, RowKey> rowOf) {
            this.rowOf = rowOf;
        }

        @Override
        public @Nullable Hold<RowCharge> get(String id) {
            return holds.get(rowOf.apply(id));
        }

        @Override
        public void put(String id, Hold<RowCharge> hold) {
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

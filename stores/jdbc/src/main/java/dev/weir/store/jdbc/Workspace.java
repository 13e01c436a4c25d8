package dev.weir.store.jdbc;

import dev.weir.algorithm.Meter;
import dev.weir.algorithm.ResetMark;
import dev.weir.ledger.Budget;
import dev.weir.ledger.Hold;
import dev.weir.ledger.HoldTable;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.LedgerOperations;
import dev.weir.ledger.LedgerState;
import dev.weir.ledger.Moment;
import dev.weir.ledger.Outcome;
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
final class Workspace implements LedgerState<Asked> {
    private final Object store;
    private final Moment now;
    private final Meetings meetings;
    private final Map<RowKey, Row> rows = new HashMap<>();
    private final Map<RowKey, Hold<Asked>> holds = new HashMap<>();
    private final Map<RowKey, @Nullable Hold<Asked>> changedHolds = new HashMap<>();
    private final LedgerOperations<Asked> operations;

    /** When the store first met a policy. */
    interface Meetings {
        long metAt(Terms terms);
    }

    Workspace(Object store, Moment now, Meetings meetings) {
        this.store = store;
        this.now = now;
        this.meetings = meetings;
        this.operations =
                new LedgerOperations<>(this, new Holds(RowKey::ofReservation), new Holds(RowKey::ofLease), now);
    }

    LedgerOperations<Asked> operations() {
        return operations;
    }

    /** @param reservation the id under which it can be settled */
    LedgerDecision decision(Outcome<Asked> outcome, @Nullable String reservation) {
        return LedgerDecision.of(store, Asked.charges(outcome.charges()), outcome, reservation);
    }

    // What was found.

    void add(Row row) {
        ResetMark mark = row.mark();
        if (mark != null && !mark.isRemembered(now.micros())) {
            row.forgetMark();
        }
        rows.put(row.key(), row);
    }

    void add(RowKey id, Hold<Asked> hold) {
        holds.put(id, hold);
    }

    /** Rows that were looked for, these and those of holds, and not found. */
    void addMissing(Collection<RowKey> keys) {
        keys.forEach(key -> rows.computeIfAbsent(key, Row::absent));
        holds.values().forEach(hold -> hold.charges().forEach(asked -> rows.computeIfAbsent(asked.key(), Row::absent)));
    }

    /** The policies, of rows and of what holds have spent, of which it matters when the store first met them. */
    Set<Terms> meetings() {
        Set<Terms> all = new HashSet<>();
        for (Row row : rows.values()) {
            Budget kept = row.kept();
            if (kept != null && kept.meter().startsFilling()) {
                all.add(Terms.of(kept.meter().policy()));
            }
        }
        for (Hold<Asked> hold : holds.values()) {
            for (Asked asked : hold.charges()) {
                if (asked.terms().startsFilling()) {
                    all.add(asked.terms());
                }
            }
        }
        return all;
    }

    /** Decides the questions one after the other. */
    List<Object> decide(List<Question> questions) {
        List<Object> answers = new ArrayList<>(questions.size());
        for (Question question : questions) {
            answers.add(question.decide(this));
        }
        return answers;
    }

    // What is to be written.

    Collection<Row> rows() {
        return rows.values();
    }

    /** Null for those to be removed. */
    Map<RowKey, @Nullable Hold<Asked>> changedHolds() {
        return changedHolds;
    }

    Moment now() {
        return now;
    }

    /**
     * Until when the row carries information; 0 if it does not any more, and is to be removed. What is written is without
     * a budget that carries none.
     */
    long keepUntil(Row row) {
        ResetMark mark = row.mark();
        long remembered = mark == null ? 0 : mark.at() + ResetMark.REMEMBERED;
        Budget kept = row.kept();
        if (kept == null) {
            return remembered;
        }
        Meter meter = kept.meter();
        long ticks = now.ticks(meter);
        long filling = meter.startsFilling() ? meter.open(meet(meter, now)).resetAfter(ticks) : 0;
        long resetAfter = Math.max(kept.ledger().resetAfter(ticks), filling);
        if (resetAfter == 0) {
            row.forget();
            return remembered;
        }
        return Math.max(remembered, now.micros() + (meter.followsCalendar() ? 1_000 * resetAfter : resetAfter));
    }

    /** Makes a budget whole, frees its slots, and ends what was spent before. */
    void reset(RowKey key) {
        Row row = row(key);
        row.forget();
        row.mark(ResetMark.next(row.mark(), now.micros()));
    }

    // What core's operations read and change.

    @Override
    public @Nullable Budget budget(Asked asked) {
        return row(asked.key()).kept();
    }

    @Override
    public void keep(Asked asked, Budget budget, Moment same) {
        row(asked.key()).keep(budget);
    }

    @Override
    public long meet(Meter meter, Moment same) {
        return meetings.metAt(Terms.of(meter.policy()));
    }

    @Override
    public long resetsSeen(Asked asked, Moment same) {
        ResetMark mark = row(asked.key()).mark();
        return mark == null ? 0 : mark.seen(now.micros());
    }

    @Override
    public boolean wasReset(Asked asked, Moment spentAt, long seen, Moment same) {
        ResetMark mark = row(asked.key()).mark();
        return mark != null && mark.cameAfter(spentAt.micros(), Math.toIntExact(seen));
    }

    @Override
    public void forgetResets(Asked asked) {
        row(asked.key()).forgetMark();
    }

    private Row row(RowKey key) {
        Row row = rows.get(key);
        if (row == null) {
            throw new IllegalStateException("a row is used that was not asked for");
        }
        return row;
    }

    /** The reservations, or the leases, that were loaded. */
    private final class Holds implements HoldTable<Asked> {
        private final Function<String, RowKey> rowOf;

        Holds(Function<String, RowKey> rowOf) {
            this.rowOf = rowOf;
        }

        @Override
        public @Nullable Hold<Asked> get(String id) {
            return holds.get(rowOf.apply(id));
        }

        @Override
        public void put(String id, Hold<Asked> hold) {
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

package dev.weir.store.jdbc;

import dev.weir.Concurrency;
import dev.weir.Reading;
import dev.weir.algorithm.ResetMark;
import dev.weir.algorithm.SlotLedger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one transaction, and what questions do to them: core's ledgers decide, and nothing else.
 *
 * <p>Questions are decided one after the other, each on what the ones before have left, all at one moment. Not safe for
 * use by several threads.
 */
final class Workspace {
    private final Object store;
    private final JdbcDecision.Moment now;
    private final Meetings meetings;
    private final Map<RowKey, Row> rows = new HashMap<>();
    private final Map<RowKey, @Nullable Hold> holds = new HashMap<>();
    private final Map<RowKey, @Nullable Hold> changedHolds = new HashMap<>();

    /** When the store first met a policy. */
    interface Meetings {
        long metAt(Terms terms);
    }

    Workspace(Object store, JdbcDecision.Moment now, Meetings meetings) {
        this.store = store;
        this.now = now;
        this.meetings = meetings;
    }

    // What was found.

    void add(Row row) {
        ResetMark mark = row.mark();
        if (mark != null && !mark.isRemembered(now.micros())) {
            row.forgetMark();
        }
        rows.put(row.key(), row);
    }

    void add(RowKey id, @Nullable Hold hold) {
        holds.put(id, hold);
    }

    // What is to be written.

    Collection<Row> rows() {
        return rows.values();
    }

    /** Null for those to be removed. */
    Map<RowKey, @Nullable Hold> changedHolds() {
        return changedHolds;
    }

    JdbcDecision.Moment now() {
        return now;
    }

    /**
     * Until when the row carries information; 0 if it does not any more, and is to be removed. What is written is without
     * a budget that carries none.
     */
    long keepUntil(Row row) {
        ResetMark mark = row.mark();
        long remembered = mark == null ? 0 : mark.at() + ResetMark.REMEMBERED;
        Row.Kept kept = row.kept();
        if (kept == null) {
            return remembered;
        }
        long ticks = now.ticks(kept.terms());
        long filling =
                kept.terms().startsFilling() ? fresh(kept.terms()).ledger().resetAfter(ticks) : 0;
        long resetAfter = Math.max(kept.ledger().resetAfter(ticks), filling);
        if (resetAfter == 0) {
            row.forget();
            return remembered;
        }
        return Math.max(remembered, now.micros() + kept.terms().micros(resetAfter));
    }

    // What questions do.

    /** Spends all or nothing; slots are held by {@code lease} until {@code endsAt}. */
    JdbcDecision decide(List<Asked> asked, @Nullable String lease, long endsAt) {
        Row.Kept[] seen = seen(asked);
        if (!allFit(asked, seen)) {
            return look(asked, seen);
        }
        List<Reading> readings = new ArrayList<>(asked.size());
        int[] resetsSeen = resetsSeen(asked);
        for (int i = 0; i < asked.size(); i++) {
            Asked one = asked.get(i);
            Row.Kept kept = seen[i];
            long ticks = now.ticks(kept.terms());
            if (kept.ledger() instanceof SlotLedger slots && lease != null) {
                slots.hold(lease, one.charge().cost(), endsAt);
            } else {
                kept.ledger().spend(one.charge().cost(), ticks);
            }
            row(one.key()).keep(kept);
            if (kept.ledger() instanceof SlotLedger) {
                row(one.key()).forgetMark();
            }
            readings.add(
                    kept.terms().meter().read(kept.ledger(), true, one.charge().cost(), ticks));
        }
        return new JdbcDecision(store, asked, readings, true, true, now, null).havingSeen(resetsSeen);
    }

    /** Which resets came before at this very time; all zeros, in the one array, if none did. */
    private int[] resetsSeen(List<Asked> asked) {
        int[] seen = JdbcDecision.NO_RESETS;
        for (int i = 0; i < asked.size(); i++) {
            ResetMark mark = row(asked.get(i).key()).mark();
            if (mark != null && mark.seen(now.micros()) > 0) {
                seen = seen.length == 0 ? new int[asked.size()] : seen;
                seen[i] = mark.seen(now.micros());
            }
        }
        return seen;
    }

    JdbcDecision look(List<Asked> asked) {
        return look(asked, seen(asked));
    }

    /** What one reads who holds the slots, and has spent the rest, already. */
    JdbcDecision lookAtHeld(List<Asked> asked) {
        Row.Kept[] seen = seen(asked);
        List<Reading> readings = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            readings.add(seen[i].terms().meter().read(seen[i].ledger(), true, 0, now.ticks(seen[i].terms())));
        }
        return new JdbcDecision(store, asked, readings, true, false, now, null);
    }

    /**
     * Spends so much more, whether it fits or not, or gives so much back of what a decision has spent.
     *
     * @param index which of its charges
     */
    void adjust(JdbcDecision decision, int index, long difference) {
        Asked asked = decision.asked().get(index);
        Row row = row(asked.key());
        Row.Kept kept = row.kept();
        if (difference == 0
                || asked.charge().policy() instanceof Concurrency
                || (kept != null && kept.ledger() instanceof SlotLedger)) {
            return;
        }
        if (difference > 0) {
            Row.Kept charged = kept == null || isForgettable(kept) ? fresh(asked.terms()) : kept;
            charged.ledger().spend(difference, now.ticks(charged.terms()));
            row.keep(charged);
        } else if (kept != null && isStillSpent(decision, index, row, kept)) {
            kept.ledger().giveBack(-difference, decision.moment().ticks(kept.terms()), now.ticks(kept.terms()));
            row.changed();
        }
    }

    /** Whether what was spent may still be there: no reset came since, and its window has not ended. */
    private boolean isStillSpent(JdbcDecision decision, int index, Row row, Row.Kept kept) {
        ResetMark mark = row.mark();
        if (mark != null && mark.cameAfter(decision.moment().micros(), decision.resetsSeen(index))) {
            return false;
        }
        Terms terms = decision.asked().get(index).terms();
        return kept.terms().text().equals(terms.text())
                || !terms.meter()
                        .hasEnded(
                                decision.moment().ticks(terms),
                                decision.reading(index).resetAfter(),
                                now.ticks(terms));
    }

    private boolean isForgettable(Row.Kept kept) {
        return kept.terms().meter().isForgettable(kept.ledger(), epoch(kept.terms()), now.ticks(kept.terms()));
    }

    /** Makes a budget whole, frees its slots, and ends what was spent before. */
    void reset(RowKey key) {
        Row row = row(key);
        row.forget();
        row.mark(ResetMark.next(row.mark(), now.micros()));
    }

    /** The reservation or lease, if it is held now. */
    @Nullable
    Hold held(RowKey id) {
        Hold hold = holds.get(id);
        return hold != null && hold.isHeld(now.micros()) ? hold : null;
    }

    void put(RowKey id, Hold hold) {
        holds.put(id, hold);
        changedHolds.put(id, hold);
    }

    void remove(RowKey id) {
        holds.put(id, null);
        changedHolds.put(id, null);
    }

    /** Holds the charge's slots until then; false if they are not held any more, as another policy has taken over. */
    boolean renewSlots(Asked asked, String lease, long endsAt) {
        Row row = row(asked.key());
        if (row.kept() != null
                && row.kept().ledger() instanceof SlotLedger slots
                && slots.renew(lease, endsAt, now.micros())) {
            row.changed();
            return true;
        }
        return false;
    }

    void releaseSlots(Asked asked, String lease) {
        Row row = row(asked.key());
        if (row.kept() != null && row.kept().ledger() instanceof SlotLedger slots && slots.release(lease)) {
            row.changed();
        }
    }

    // How it is done.

    private JdbcDecision look(List<Asked> asked, Row.Kept[] seen) {
        List<Reading> readings = new ArrayList<>(asked.size());
        boolean fits = true;
        for (int i = 0; i < asked.size(); i++) {
            Row.Kept kept = seen[i];
            Reading reading =
                    kept.terms().meter().read(kept.ledger(), false, sumUpTo(asked, i), now.ticks(kept.terms()));
            fits &= reading instanceof Reading.Fits;
            readings.add(reading);
        }
        return new JdbcDecision(store, asked, readings, fits, false, now, null);
    }

    private boolean allFit(List<Asked> asked, Row.Kept[] seen) {
        for (int i = 0; i < asked.size(); i++) {
            long sum = sumUpTo(asked, i);
            Terms terms = seen[i].terms();
            if (sum > terms.policy().capacity() || sum > seen[i].ledger().available(now.ticks(terms))) {
                return false;
            }
        }
        return true;
    }

    /** What the charges up to this one ask of its key together. */
    private static long sumUpTo(List<Asked> asked, int index) {
        long sum = asked.get(index).charge().cost();
        for (int i = 0; i < index; i++) {
            if (asked.get(i).key().equals(asked.get(index).key())) {
                sum += Math.min(asked.get(i).charge().cost(), Long.MAX_VALUE - sum);
            }
        }
        return sum;
    }

    /** Every charge's budget as the charge's policy has it; charges on one key share it. */
    private Row.Kept[] seen(List<Asked> asked) {
        Row.Kept[] seen = new Row.Kept[asked.size()];
        for (int i = 0; i < seen.length; i++) {
            for (int before = 0; before < i && seen[i] == null; before++) {
                if (asked.get(before).key().equals(asked.get(i).key())) {
                    seen[i] = seen[before];
                }
            }
            if (seen[i] == null) {
                seen[i] = under(asked.get(i));
            }
        }
        return seen;
    }

    /** The key's budget under this policy: as it is kept, or a copy of what another policy has left. */
    private Row.Kept under(Asked asked) {
        Row row = row(asked.key());
        Row.Kept kept = row.kept();
        if (kept == null) {
            return fresh(asked.terms());
        }
        notice(row, kept);
        if (kept.terms().text().equals(asked.terms().text())) {
            return kept;
        }
        if (kept.ledger() instanceof SlotLedger slots && asked.charge().policy() instanceof Concurrency resized) {
            return new Row.Kept(asked.terms(), slots.resized(resized.slots()));
        }
        Row.Kept fresh = fresh(asked.terms());
        long spent = kept.terms().meter().spent(kept.ledger(), epoch(kept.terms()), now.ticks(kept.terms()));
        if (spent > 0) {
            fresh.ledger().spend(Math.min(spent, asked.terms().policy().capacity()), now.ticks(fresh.terms()));
        }
        return fresh;
    }

    /** A calendar that was set back moves a count as soon as anyone looks: this is written, whatever is decided. */
    private void notice(Row row, Row.Kept kept) {
        if (kept.terms().meter().followsCalendar()) {
            long[] before = kept.ledger().state();
            long unused = kept.ledger().available(now.wallMillis());
            if (!Arrays.equals(before, kept.ledger().state())) {
                row.changed();
            }
        }
    }

    private Row.Kept fresh(Terms terms) {
        return new Row.Kept(terms, terms.meter().open(epoch(terms)));
    }

    private long epoch(Terms terms) {
        return terms.startsFilling() ? meetings.metAt(terms) : 0;
    }

    private Row row(RowKey key) {
        Row row = rows.get(key);
        if (row == null) {
            throw new IllegalStateException("a row is used that was not asked for");
        }
        return row;
    }
}

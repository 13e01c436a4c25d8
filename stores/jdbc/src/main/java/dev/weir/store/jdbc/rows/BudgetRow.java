package dev.weir.store.jdbc.rows;

import dev.weir.algorithm.ResetMark;
import dev.weir.ledger.Budget;
import org.jspecify.annotations.Nullable;

/**
 * The row of a key in a transaction: as it was read, and as it will be written. Not safe for use by several threads.
 *
 * <p>After a reset, a mark precedes the policy in the column {@code policy}, as in
 * {@code reset:1767225600000000:1 fixed 10 60000000000}; it is alone if nothing was spent since. No policy has such a
 * text, so the fast paths, which compare the policy's text, leave the row to the ledgers.
 */
public final class BudgetRow {
    private static final String MARK = "reset:";

    private final RowKey key;
    private final @Nullable String found;
    private @Nullable Budget kept;
    private @Nullable ResetMark mark;
    private boolean changed;

    private BudgetRow(RowKey key, @Nullable String found, @Nullable Budget kept, @Nullable ResetMark mark) {
        this.key = key;
        this.found = found;
        this.kept = kept;
        this.mark = mark;
    }

    public static BudgetRow absent(RowKey key) {
        return new BudgetRow(key, null, null, null);
    }

    /** A row that was read, with this text in the column {@code policy}. */
    public static BudgetRow found(RowKey key, String text, StateColumns states) {
        if (!text.startsWith(MARK)) {
            return found(key, SqlPolicy.of(text), states);
        }
        int end = text.indexOf(' ');
        String[] numbers =
                text.substring(MARK.length(), end < 0 ? text.length() : end).split(":", -1);
        if (numbers.length != 2) {
            throw new IllegalArgumentException("'" + text + "' is not a policy of Weir");
        }
        ResetMark mark = new ResetMark(Long.parseLong(numbers[0]), Integer.parseInt(numbers[1]));
        SqlPolicy sqlPolicy = end < 0 ? null : SqlPolicy.of(text.substring(end + 1));
        return new BudgetRow(
                key,
                text,
                sqlPolicy == null ? null : new Budget(sqlPolicy.model(), sqlPolicy.resume(states.join(sqlPolicy))),
                mark);
    }

    public static BudgetRow found(RowKey key, SqlPolicy sqlPolicy, StateColumns states) {
        return new BudgetRow(
                key, sqlPolicy.text(), new Budget(sqlPolicy.model(), sqlPolicy.resume(states.join(sqlPolicy))), null);
    }

    public RowKey key() {
        return key;
    }

    /** The budget; null if nothing of it is spent. */
    @Nullable
    public Budget kept() {
        return kept;
    }

    /** The last reset; null if there was none or it has expired. */
    @Nullable
    public ResetMark mark() {
        return mark;
    }

    /** The text of the column {@code policy}. */
    public String text() {
        Budget budget = kept;
        String policy = budget == null ? "" : text(budget);
        if (mark == null) {
            return policy;
        }
        return MARK + mark.at() + ":" + mark.count() + (budget == null ? "" : " " + policy);
    }

    private static String text(Budget budget) {
        return SqlPolicy.of(budget.model().policy()).text();
    }

    void keep(Budget next) {
        kept = next;
        changed = true;
    }

    /** Removes the budget. The mark stays, if there is one. */
    void forget() {
        changed |= kept != null;
        kept = null;
    }

    public void mark(ResetMark next) {
        changed = true;
        mark = next;
    }

    /** Removes the mark. The row need not be written for that: an expired mark has no effect. */
    void forgetMark() {
        mark = null;
    }

    /** Whether it must be written. */
    public boolean isToWrite() {
        return changed && (kept != null || mark != null);
    }

    /** Whether it must be removed. */
    public boolean isToRemove() {
        return changed && found != null && kept == null && mark == null;
    }

    /** Whether the row was read with this text in the column {@code policy}, so that only its numbers change. */
    public boolean isFoundUnder(String text) {
        return text.equals(found);
    }
}

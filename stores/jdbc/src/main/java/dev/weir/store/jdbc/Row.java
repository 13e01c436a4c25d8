package dev.weir.store.jdbc;

import dev.weir.algorithm.Ledger;
import org.jspecify.annotations.Nullable;

/** A key's row in a transaction: as it was found, and as it shall be left. Not safe for use by several threads. */
final class Row {
    private final RowKey key;
    private final @Nullable Terms foundUnder;
    private @Nullable Kept kept;
    private boolean changed;

    /** A budget under the policy that it is kept by. */
    record Kept(Terms terms, Ledger ledger) {}

    private Row(RowKey key, @Nullable Kept kept) {
        this.key = key;
        this.foundUnder = kept == null ? null : kept.terms();
        this.kept = kept;
    }

    static Row absent(RowKey key) {
        return new Row(key, null);
    }

    static Row found(RowKey key, Terms terms, States states) {
        return found(key, new Kept(terms, terms.resume(states.join(terms))));
    }

    static Row found(RowKey key, Kept kept) {
        return new Row(key, kept);
    }

    RowKey key() {
        return key;
    }

    /** Null for a budget of which nothing is spent. */
    @Nullable
    Kept kept() {
        return kept;
    }

    void keep(Kept next) {
        kept = next;
        changed = true;
    }

    void changed() {
        changed = true;
    }

    void forget() {
        changed |= kept != null;
        kept = null;
    }

    /** Whether it must be written. */
    boolean isToWrite() {
        return changed && kept != null;
    }

    /** Whether it must be removed. */
    boolean isToRemove() {
        return changed && foundUnder != null && kept == null;
    }

    /** Whether the row in the database differs in its numbers only. */
    boolean isFoundUnder(Terms terms) {
        return foundUnder != null && foundUnder.text().equals(terms.text());
    }
}

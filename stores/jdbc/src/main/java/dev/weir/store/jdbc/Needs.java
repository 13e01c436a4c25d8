package dev.weir.store.jdbc;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What questions that travel together must know before they can be decided. */
final class Needs {
    private final Set<RowKey> budgets = new LinkedHashSet<>();
    private final Set<RowKey> holds = new LinkedHashSet<>();
    private final Set<Terms> meetings = new LinkedHashSet<>();

    static Needs of(List<? extends Question> questions) {
        Needs needs = new Needs();
        for (int i = 0; i < questions.size(); i++) {
            questions.get(i).tell(needs);
        }
        return needs;
    }

    void budgets(List<Asked> all) {
        for (int i = 0; i < all.size(); i++) {
            Asked asked = all.get(i);
            budgets.add(asked.key());
            if (asked.terms().startsFilling()) {
                meetings.add(asked.terms());
            }
        }
    }

    void budget(RowKey key) {
        budgets.add(key);
    }

    /** A reservation or lease, and with it every budget that it holds of. */
    void hold(RowKey id) {
        holds.add(id);
    }

    Collection<RowKey> budgets() {
        return budgets;
    }

    Collection<RowKey> holds() {
        return holds;
    }

    /** Policies of which it matters when the store first met them. */
    Collection<Terms> meetings() {
        return meetings;
    }
}

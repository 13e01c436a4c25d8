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

    static Needs of(List<Question> questions) {
        Needs needs = new Needs();
        for (int i = 0; i < questions.size(); i++) {
            Question question = questions.get(i);
            needs.budgets(question.asked());
            needs.budgets.addAll(question.keys());
            if (question.hold() != null) {
                needs.holds.add(question.hold());
            }
        }
        return needs;
    }

    private void budgets(List<Asked> all) {
        for (int i = 0; i < all.size(); i++) {
            Asked asked = all.get(i);
            budgets.add(asked.key());
            if (asked.terms().startsFilling()) {
                meetings.add(asked.terms());
            }
        }
    }

    Collection<RowKey> budgets() {
        return budgets;
    }

    /** Reservations and leases; with each goes every budget that it holds of. */
    Collection<RowKey> holds() {
        return holds;
    }

    /** Policies of which it matters when the store first met them. */
    Collection<Terms> meetings() {
        return meetings;
    }
}

package dev.weir.store.jdbc.rows;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The rows that the requests of a batch need before they can be decided. */
public final class RowsToLoad {
    private final Set<RowKey> budgets = new LinkedHashSet<>();
    private final Set<RowKey> holds = new LinkedHashSet<>();
    private final Set<SqlPolicy> policyFirstSeen = new LinkedHashSet<>();

    public static RowsToLoad of(List<SqlRequest> sqlRequests) {
        RowsToLoad rowsToLoad = new RowsToLoad();
        for (int i = 0; i < sqlRequests.size(); i++) {
            SqlRequest sqlRequest = sqlRequests.get(i);
            rowsToLoad.budgets(sqlRequest.asked());
            rowsToLoad.budgets.addAll(sqlRequest.keys());
            if (sqlRequest.hold() != null) {
                rowsToLoad.holds.add(sqlRequest.hold());
            }
        }
        return rowsToLoad;
    }

    private void budgets(List<RowCharge> all) {
        for (int i = 0; i < all.size(); i++) {
            RowCharge asked = all.get(i);
            budgets.add(asked.key());
            if (asked.sqlPolicy().startsFilling()) {
                policyFirstSeen.add(asked.sqlPolicy());
            }
        }
    }

    public Collection<RowKey> budgets() {
        return budgets;
    }

    /** Reservations and leases. The budgets that they charged are needed, too. */
    public Collection<RowKey> holds() {
        return holds;
    }

    /** Policies that depend on when the store first saw them. */
    public Collection<SqlPolicy> policyFirstSeen() {
        return policyFirstSeen;
    }
}

package dev.weir.engine;

import java.util.List;
import java.util.Map;

/**
 * The budgets that were reset.
 *
 * @param count the number of budgets; a multi-rate limit has one for each rate
 * @param budgets the budgets, in the order of the limits; also those that were unused
 * @param incomplete the limits that may have further budgets of the subject, because a part of their key can have any
 *     value and only recently seen values are known
 */
public record ResetReport(int count, List<Budget> budgets, List<String> incomplete) {
    public ResetReport {
        budgets = List.copyOf(budgets);
        incomplete = List.copyOf(incomplete);
    }

    /**
     * One budget.
     *
     * @param limit the limit's name
     * @param key the attributes in its key
     * @param slots whether it counts slots: all of them are free again, and their leases are no longer held
     */
    public record Budget(String limit, Map<String, String> key, boolean slots) {
        public Budget {
            key = Map.copyOf(key);
        }
    }
}

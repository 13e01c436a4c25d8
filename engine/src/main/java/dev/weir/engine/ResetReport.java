package dev.weir.engine;

import java.util.List;
import java.util.Map;

/**
 * Which budgets a reset made whole.
 *
 * @param count how many; a limit of several rates has one for each
 * @param budgets which, in the order of the limits; also those of which nothing had been spent
 * @param incomplete the limits that may have further budgets of the subject, because a part of their key can have any value
 *     and only values that were seen lately are known
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
     * @param key the attributes that make its key
     * @param slots whether it counts slots: all of them are free again, and their leases are not held any more
     */
    public record Budget(String limit, Map<String, String> key, boolean slots) {
        public Budget {
            key = Map.copyOf(key);
        }
    }
}

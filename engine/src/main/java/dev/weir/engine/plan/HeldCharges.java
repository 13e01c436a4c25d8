package dev.weir.engine.plan;

import dev.weir.engine.config.ChargeRule;
import dev.weir.engine.config.LimitRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Charges that are reserved until the status of a response is known.
 *
 * @param id the id of the reservation
 * @param limits the limits of the reservation that have a {@code charge}
 */
public record HeldCharges(String id, List<LimitRule> limits) {

    /** The charges among these that wait for a status; null if there are none. */
    public static @Nullable HeldCharges of(List<LimitCharges> chargesByLimit) {
        List<LimitRule> waiting = chargesByLimit.stream()
                .map(limitCharges -> limitCharges.limit().rule)
                .filter(rule -> rule.charge() != null)
                .toList();
        return waiting.isEmpty() ? null : new HeldCharges(HoldId.create(true, 0).base(), waiting);
    }

    /** The final costs: 0 where the status does not count; the other limits keep their cost. */
    public Map<String, Long> costs(int status) {
        Map<String, Long> costs = new HashMap<>();
        for (LimitRule limit : limits) {
            ChargeRule charge = limit.charge();
            if (charge != null && !charge.includes(status)) {
                costs.put(limit.name(), 0L);
            }
        }
        return costs;
    }
}

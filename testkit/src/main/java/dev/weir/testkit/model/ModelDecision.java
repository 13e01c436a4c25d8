package dev.weir.testkit.model;

import dev.weir.Charge;
import dev.weir.Reading;
import java.util.List;

/**
 * The model's decision on a list of charges.
 *
 * @param charges the charges
 * @param at when it was decided
 * @param order its position among the decisions that spent and the resets
 * @param admitted whether all was spent or, for a peek, whether all would fit
 * @param spent whether anything was spent, so that it can be refunded
 * @param readings one for each charge
 */
public record ModelDecision(
        List<Charge> charges, ModelTime at, long order, boolean admitted, boolean spent, List<Reading> readings) {
    public ModelDecision {
        charges = List.copyOf(charges);
        readings = List.copyOf(readings);
    }
}

package dev.weir.testkit.model;

import dev.weir.Charge;
import dev.weir.Reading;
import java.util.List;

/**
 * What the model answers to a list of charges.
 *
 * @param charges what was asked
 * @param at when it was decided
 * @param order its place among the decisions that spent and the resets
 * @param admitted whether all was spent or, when it was only looked at, whether all would fit
 * @param spent whether anything was spent, so that it can be given back
 * @param readings one for each charge
 */
public record Verdict(
        List<Charge> charges, Moment at, long order, boolean admitted, boolean spent, List<Reading> readings) {
    public Verdict {
        charges = List.copyOf(charges);
        readings = List.copyOf(readings);
    }
}

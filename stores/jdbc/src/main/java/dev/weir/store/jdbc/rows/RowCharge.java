package dev.weir.store.jdbc.rows;

import dev.weir.Charge;
import dev.weir.algorithm.PolicyModel;
import dev.weir.ledger.BoundCharge;
import java.util.List;

/** A charge with the key of its row and its compiled policy. One charge, the usual case, does without a stream. */
public record RowCharge(Charge charge, RowKey key, SqlPolicy sqlPolicy) implements BoundCharge {

    @Override
    public PolicyModel model() {
        return sqlPolicy.model();
    }

    @Override
    public long cost() {
        return charge.cost();
    }

    @Override
    public boolean isOfScope(String scope) {
        return charge.key().scope().equals(scope);
    }

    static RowCharge of(Charge charge) {
        return new RowCharge(charge, RowKey.of(charge.key()), SqlPolicy.of(charge.policy()));
    }

    public static List<RowCharge> all(List<Charge> charges) {
        return charges.size() == 1
                ? List.of(of(charges.get(0)))
                : charges.stream().map(RowCharge::of).toList();
    }

    public static List<Charge> charges(List<RowCharge> all) {
        return all.size() == 1
                ? List.of(all.get(0).charge)
                : all.stream().map(RowCharge::charge).toList();
    }
}

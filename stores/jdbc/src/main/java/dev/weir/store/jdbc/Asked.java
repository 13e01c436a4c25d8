package dev.weir.store.jdbc;

import dev.weir.Charge;
import dev.weir.algorithm.Meter;
import dev.weir.ledger.BoundCharge;
import java.util.List;

/** A charge with what finds its row and what reads it. */
record Asked(Charge charge, RowKey key, Terms terms) implements BoundCharge {

    @Override
    public Meter meter() {
        return terms.meter();
    }

    @Override
    public long cost() {
        return charge.cost();
    }

    @Override
    public boolean isOfScope(String scope) {
        return charge.key().scope().equals(scope);
    }

    static Asked of(Charge charge) {
        return new Asked(charge, RowKey.of(charge.key()), Terms.of(charge.policy()));
    }

    static List<Asked> all(List<Charge> charges) {
        return charges.stream().map(Asked::of).toList();
    }

    static List<Charge> charges(List<Asked> all) {
        return all.stream().map(Asked::charge).toList();
    }
}

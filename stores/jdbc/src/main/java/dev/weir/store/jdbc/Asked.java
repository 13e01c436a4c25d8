package dev.weir.store.jdbc;

import dev.weir.Charge;
import dev.weir.algorithm.Meter;
import dev.weir.ledger.BoundCharge;
import java.util.ArrayList;
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
        if (charges.size() == 1) {
            return List.of(of(charges.get(0)));
        }
        List<Asked> all = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            all.add(of(charge));
        }
        return all;
    }

    static List<Charge> charges(List<Asked> all) {
        if (all.size() == 1) {
            return List.of(all.get(0).charge);
        }
        List<Charge> charges = new ArrayList<>(all.size());
        for (Asked asked : all) {
            charges.add(asked.charge);
        }
        return List.copyOf(charges);
    }
}

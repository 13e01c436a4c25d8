package dev.weir.engine;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Reading;
import dev.weir.engine.plan.EarlyLimits;
import dev.weir.engine.plan.LimitCharges;
import dev.weir.engine.plan.PreparedRequest;
import java.util.ArrayList;
import java.util.List;

/** The charges of a request that are spent in two calls, and the join of the two decisions. */
final class StagedCharges {
    private final List<Charge> all;
    private final List<Charge> late = new ArrayList<>();
    /** For each charge, whether it is early. */
    private final boolean[] isEarly;

    private StagedCharges(List<Charge> all) {
        this.all = all;
        this.isEarly = new boolean[all.size()];
    }

    static StagedCharges of(PreparedRequest prepared, EarlyLimits early) {
        StagedCharges charges = new StagedCharges(prepared.charges());
        for (LimitCharges limitCharges : prepared.chargesByLimit()) {
            boolean isEarly = early.contains(limitCharges.limit());
            for (int i = limitCharges.first(); i < limitCharges.first() + limitCharges.rates(); i++) {
                charges.isEarly[i] = isEarly;
                if (!isEarly) {
                    charges.late.add(charges.all.get(i));
                }
            }
        }
        return charges;
    }

    /** The charges that are still to be spent. */
    List<Charge> late() {
        return List.copyOf(late);
    }

    /**
     * Joins both decisions in the order of all charges. If the later one refuses, the earlier charges are reported as
     * refunded.
     */
    Decision join(Decision before, Decision after) {
        List<Reading> readings = new ArrayList<>(all.size());
        int nextEarly = 0;
        int nextLate = 0;
        for (int i = 0; i < all.size(); i++) {
            if (isEarly[i]) {
                Reading reading = before.reading(nextEarly++);
                readings.add(after.admitted() ? reading : givenBack(all.get(i), reading));
            } else {
                readings.add(after.reading(nextLate++));
            }
        }
        return new Joined(after.admitted(), all, List.copyOf(readings), after.time());
    }

    private static Reading givenBack(Charge charge, Reading reading) {
        long whole = Math.min(charge.policy().capacity(), reading.remaining() + charge.cost());
        return new Reading.Fits(whole, reading.resetAfter());
    }

    private record Joined(boolean admitted, List<Charge> charges, List<Reading> all, long time) implements Decision {
        @Override
        public Reading reading(int index) {
            return all.get(index);
        }
    }
}

package dev.weir.store.cluster;

import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.SlotLedger;
import dev.weir.store.cluster.Budgets.Budget;
import dev.weir.store.raft.BytesOut;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decides charges, all or nothing, and writes the readings down. */
final class Teller {
    /** How a reading begins; the numbers are part of the format. */
    static final int ADMITTED = 0;

    static final int FITS = 1;
    static final int REFUSED = 2;
    static final int IMPOSSIBLE = 3;

    private final Budgets budgets;

    Teller(Budgets budgets) {
        this.budgets = budgets;
    }

    /** Who holds slots, and until when. */
    record Holder(String lease, long end) {}

    /** Spends all or none and writes how many readings follow, then each; answers whether all was spent. */
    boolean decide(List<Line> lines, @Nullable Holder holder, Moment now, BytesOut out) {
        budgets.makeRoom(lines.size(), now);
        int begin = out.size();
        if (lines.size() == 1) {
            return decideOne(lines.get(0), holder, now, out);
        }
        if (!look(lines, now, out)) {
            return false;
        }
        out.truncate(begin);
        out.number(lines.size());
        for (Line line : lines) {
            Budget budget = budgets.under(line.key(), line.meter(), now);
            spend(line, budget, holder, now);
            writeReading(line, budget, true, line.cost(), now, out);
        }
        return true;
    }

    private boolean decideOne(Line line, @Nullable Holder holder, Moment now, BytesOut out) {
        out.number(1);
        Budget budget = budgets.under(line.key(), line.meter(), now);
        boolean fits = budget.ledger().available(now.ticks(line.meter())) >= line.cost();
        if (fits) {
            spend(line, budget, holder, now);
        }
        writeReading(line, budget, fits, line.cost(), now, out);
        return fits;
    }

    private void spend(Line line, Budget budget, @Nullable Holder holder, Moment now) {
        budgets.keep(line.key(), budget, now);
        if (budget.ledger() instanceof SlotLedger slots && holder != null) {
            budgets.resets.forget(line.key());
            slots.hold(holder.lease(), line.cost(), holder.end());
        } else {
            budget.ledger().spend(line.cost(), now.ticks(line.meter()));
        }
    }

    /** Writes how many readings follow, then each, spending nothing; answers whether all fit together. */
    boolean look(List<Line> lines, Moment now, BytesOut out) {
        out.number(lines.size());
        boolean allFit = true;
        Map<String, Long> asked = lines.size() == 1 ? Map.of() : new HashMap<>();
        for (Line line : lines) {
            long together = lines.size() == 1
                    ? line.cost()
                    : asked.merge(line.key(), line.cost(), (a, b) -> a + Math.min(b, Long.MAX_VALUE - a));
            Budget budget = budgets.under(line.key(), line.meter(), now);
            allFit &= writeReading(line, budget, false, together, now, out) == FITS;
        }
        return allFit;
    }

    /** Writes the readings of a lease that is held anyway: as admitted, spending nothing. */
    void lookAtHeld(List<Line> lines, Moment now, BytesOut out) {
        out.number(lines.size());
        for (Line line : lines) {
            writeReading(line, budgets.under(line.key(), line.meter(), now), true, line.cost(), now, out);
        }
    }

    private static int writeReading(Line line, Budget budget, boolean spent, long cost, Moment now, BytesOut out) {
        Meter meter = budget.meter();
        Ledger ledger = budget.ledger();
        long ticks = now.ticks(meter);
        long available = ledger.available(ticks);
        int kind = spent
                ? ADMITTED
                : cost > line.meter().policy().capacity() ? IMPOSSIBLE : cost <= available ? FITS : REFUSED;
        out.u8(kind);
        out.number(Math.max(0, available));
        if (kind == REFUSED) {
            out.number(ledger.retryAfter(cost, ticks));
        }
        out.number(ledger.resetAfter(ticks));
        return kind;
    }
}

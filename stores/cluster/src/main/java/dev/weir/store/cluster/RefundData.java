package dev.weir.store.cluster;

import dev.weir.Reading;
import dev.weir.TokenBucket;
import dev.weir.algorithm.PolicyModel;
import dev.weir.ledger.LedgerOutcome;
import dev.weir.ledger.StoreTime;
import dev.weir.store.consensus.BytesIn;
import dev.weir.store.consensus.BytesIn.MalformedException;
import dev.weir.store.consensus.BytesOut;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The data about spent charges that a refund needs.
 *
 * @param at when the charges were spent
 * @param resetsSeen the number of resets of any key before that
 * @param resetAfter by charge, the ticks until its budget was full; 0 for a bucket
 */
record RefundData(StoreTime at, long resetsSeen, List<Long> resetAfter) {
    /** Upper bound of a window in ticks. In nanoseconds it still fits in 64 bits. */
    private static final long LONGEST_TICKS = 200L * 366 * 86_400_000_000L;

    static final RefundData NONE = new RefundData(new StoreTime(0, 0), 0, List.of());

    static RefundData of(LedgerOutcome<StateCharge> spent) {
        List<Long> resetAfter = new ArrayList<>();
        for (int i = 0; i < spent.charges().size(); i++) {
            PolicyModel model = spent.charges().get(i).model();
            resetAfter.add(
                    model.policy() instanceof TokenBucket
                            ? 0L
                            : model.resolution().toTicks(spent.readings().get(i).resetAfter()));
        }
        return new RefundData(spent.at(), spent.resetsSeen()[0], resetAfter);
    }

    /** The outcome of spending these charges. Its readings contain only the time until reset. */
    LedgerOutcome<StateCharge> outcome(List<StateCharge> lines) {
        List<Reading> readings = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            readings.add(
                    new Reading.Admitted(0, lines.get(i).model().resolution().toDuration(resetAfter.get(i))));
        }
        return outcome(lines, readings, at, resetsSeen);
    }

    /** @param resetsSeen the number of resets of any key before the charges */
    static LedgerOutcome<StateCharge> outcome(
            List<StateCharge> lines, List<Reading> readings, StoreTime at, long resetsSeen) {
        long[] seen = new long[lines.size()];
        Arrays.fill(seen, resetsSeen);
        return new LedgerOutcome<>(lines, readings, LedgerOutcome.Kind.SPENT, at, seen);
    }

    void write(BytesOut out) {
        out.number(at.micros());
        out.number(at.wallMillis());
        out.number(resetsSeen);
        out.number(resetAfter.size());
        resetAfter.forEach(out::number);
    }

    static RefundData read(BytesIn in) {
        StoreTime at = new StoreTime(in.number(), in.number());
        long resetsSeen = in.number();
        List<Long> resetAfter = new ArrayList<>();
        for (int i = in.count(1); i > 0; i--) {
            long ticks = in.number();
            if (ticks < 0 || ticks > LONGEST_TICKS) {
                throw new MalformedException("a window of " + ticks + " ticks");
            }
            resetAfter.add(ticks);
        }
        return new RefundData(at, resetsSeen, resetAfter);
    }
}

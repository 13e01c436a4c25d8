package dev.weir.store.cluster;

import dev.weir.Reading;
import dev.weir.TokenBucket;
import dev.weir.algorithm.Meter;
import dev.weir.ledger.Moment;
import dev.weir.ledger.Outcome;
import dev.weir.store.raft.BytesIn;
import dev.weir.store.raft.BytesIn.MalformedException;
import dev.weir.store.raft.BytesOut;
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
record Spending(Moment at, long resetsSeen, List<Long> resetAfter) {
    /** Upper bound of a window in ticks. In nanoseconds it still fits in 64 bits. */
    private static final long LONGEST_TICKS = 200L * 366 * 86_400_000_000L;

    static final Spending NONE = new Spending(new Moment(0, 0), 0, List.of());

    static Spending of(Outcome<Line> spent) {
        List<Long> resetAfter = new ArrayList<>();
        for (int i = 0; i < spent.charges().size(); i++) {
            Meter meter = spent.charges().get(i).meter();
            resetAfter.add(
                    meter.policy() instanceof TokenBucket
                            ? 0L
                            : meter.resolution().toTicks(spent.readings().get(i).resetAfter()));
        }
        return new Spending(spent.at(), spent.resetsSeen()[0], resetAfter);
    }

    /** The outcome of spending these charges. Its readings contain only the time until reset. */
    Outcome<Line> outcome(List<Line> lines) {
        List<Reading> readings = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            readings.add(
                    new Reading.Admitted(0, lines.get(i).meter().resolution().toDuration(resetAfter.get(i))));
        }
        return outcome(lines, readings, at, resetsSeen);
    }

    /** @param resetsSeen the number of resets of any key before the charges */
    static Outcome<Line> outcome(List<Line> lines, List<Reading> readings, Moment at, long resetsSeen) {
        long[] seen = new long[lines.size()];
        Arrays.fill(seen, resetsSeen);
        return new Outcome<>(lines, readings, Outcome.Kind.SPENT, at, seen);
    }

    void write(BytesOut out) {
        out.number(at.micros());
        out.number(at.wallMillis());
        out.number(resetsSeen);
        out.number(resetAfter.size());
        resetAfter.forEach(out::number);
    }

    static Spending read(BytesIn in) {
        Moment at = new Moment(in.number(), in.number());
        long resetsSeen = in.number();
        List<Long> resetAfter = new ArrayList<>();
        for (int i = in.count(1); i > 0; i--) {
            long ticks = in.number();
            if (ticks < 0 || ticks > LONGEST_TICKS) {
                throw new MalformedException("a window of " + ticks + " ticks");
            }
            resetAfter.add(ticks);
        }
        return new Spending(at, resetsSeen, resetAfter);
    }
}

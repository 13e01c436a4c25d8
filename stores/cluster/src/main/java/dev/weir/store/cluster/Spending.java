package dev.weir.store.cluster;

import dev.weir.CalendarWindow;
import dev.weir.TokenBucket;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.Resolution;
import dev.weir.store.raft.BytesIn;
import dev.weir.store.raft.BytesIn.MalformedException;
import dev.weir.store.raft.BytesOut;
import java.util.ArrayList;
import java.util.List;

/**
 * What must be known of charges that were spent when they are to be given back.
 *
 * @param at when they were spent
 * @param resetsSeen how many resets there had been
 * @param resetAfter by charge, how many ticks it was until its budget was whole; 0 for a bucket
 */
record Spending(Moment at, long resetsSeen, List<Long> resetAfter) {
    /** Longer than any window; in nanoseconds it fits in 64 bits. */
    private static final long LONGEST_TICKS = 200L * 366 * 86_400_000_000L;

    static final Spending NONE = new Spending(new Moment(0, 0), 0, List.of());

    /** The spending that a decision's readings tell, which end with how many resets there had been. */
    static Spending of(Moment at, byte[] readings) {
        BytesIn in = new BytesIn(readings);
        List<Long> resetAfter = new ArrayList<>();
        for (int i = in.count(3); i > 0; i--) {
            int kind = in.u8();
            long remaining = in.number();
            long unused = kind == Teller.REFUSED ? in.number() : remaining;
            resetAfter.add(in.number());
        }
        return new Spending(at, in.number(), resetAfter);
    }

    static Spending of(ClusterDecision decision) {
        List<Long> resetAfter = new ArrayList<>();
        for (int i = 0; i < decision.charges().size(); i++) {
            resetAfter.add(
                    decision.charges().get(i).policy() instanceof TokenBucket
                            ? 0L
                            : decision.reading(i).resetAfter().toNanos() / nanosPerTick(decision, i));
        }
        return new Spending(decision.moment(), decision.resetsSeen(), resetAfter);
    }

    private static long nanosPerTick(ClusterDecision decision, int index) {
        boolean isCalendar = decision.charges().get(index).policy() instanceof CalendarWindow;
        return (isCalendar ? Resolution.MILLIS : Resolution.MICROS).nanosPerTick();
    }

    /** Whether the window of a charge has ended; see {@link Meter#hasEnded}. */
    boolean hasEnded(int index, Meter meter, Moment now) {
        return meter.hasEnded(at.ticks(meter), meter.resolution().toDuration(resetAfter.get(index)), now.ticks(meter));
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

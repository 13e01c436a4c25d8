package dev.weir.store.cluster;

import dev.weir.Reading;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.Resolution;
import dev.weir.ledger.LedgerOutcome;
import dev.weir.store.consensus.BytesIn;
import dev.weir.store.consensus.BytesIn.MalformedException;
import dev.weir.store.consensus.BytesOut;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Encodes readings: their number, then each reading; if something was spent, the number of resets before it. */
final class ReadingsCodec {
    /** First byte of a reading. The numbers are part of the format. */
    private static final int ADMITTED = 0;

    private static final int FITS = 1;
    private static final int REFUSED = 2;
    private static final int IMPOSSIBLE = 3;

    private ReadingsCodec() {}

    static void write(BytesOut out, LedgerOutcome<StateCharge> outcome) {
        out.number(outcome.charges().size());
        for (int i = 0; i < outcome.charges().size(); i++) {
            Resolution resolution = outcome.charges().get(i).model().resolution();
            Reading reading = outcome.readings().get(i);
            out.u8(kind(reading));
            out.number(reading.remaining());
            if (reading instanceof Reading.Refused refused) {
                out.number(resolution.toTicks(refused.retryAfter()));
            }
            out.number(resolution.toTicks(reading.resetAfter()));
        }
        if (outcome.resetsSeen().length > 0) {
            out.number(outcome.resetsSeen()[0]);
        }
    }

    private static int kind(Reading reading) {
        if (reading instanceof Reading.Admitted) {
            return ADMITTED;
        }
        return reading instanceof Reading.Fits ? FITS : reading instanceof Reading.Refused ? REFUSED : IMPOSSIBLE;
    }

    /** @param policyModels the policies of the charges */
    static List<Reading> read(BytesIn in, List<PolicyModel> policyModels) {
        int count = in.count(3);
        if (count != policyModels.size()) {
            throw new MalformedException(count + " readings for " + policyModels.size() + " charges");
        }
        List<Reading> readings = new ArrayList<>(count);
        for (PolicyModel model : policyModels) {
            readings.add(read(in, model));
        }
        return readings;
    }

    private static Reading read(BytesIn in, PolicyModel model) {
        int kind = in.u8();
        long remaining = in.number();
        Duration retryAfter = kind == REFUSED ? model.resolution().toDuration(in.number()) : Duration.ZERO;
        Duration resetAfter = model.resolution().toDuration(in.number());
        return switch (kind) {
            case ADMITTED -> new Reading.Admitted(remaining, resetAfter);
            case FITS -> new Reading.Fits(remaining, resetAfter);
            case REFUSED -> new Reading.Refused(remaining, retryAfter, resetAfter);
            case IMPOSSIBLE -> new Reading.Impossible(remaining, model.policy().capacity(), resetAfter);
            default -> throw new MalformedException("unknown reading " + kind);
        };
    }
}

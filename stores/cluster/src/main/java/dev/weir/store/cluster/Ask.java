package dev.weir.store.cluster;

import dev.weir.Charge;
import dev.weir.Reading;
import dev.weir.StoreException;
import dev.weir.algorithm.Resolution;
import dev.weir.store.raft.BytesIn;
import dev.weir.store.raft.BytesIn.MalformedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A question and what it takes to understand its answer.
 *
 * @param charges the charges that a decision is about; empty for other questions
 */
record Ask(ClusterStore store, Question question, List<Charge> charges) {
    /** Reads the answer: a decision, a settlement, a truth, a number; or the exception that tells why there is none. */
    Object read(BytesIn in, Moment now) {
        int status = in.u8();
        if (status == Book.MISUSE) {
            return new IllegalArgumentException(in.text());
        }
        if (status == Book.FULL) {
            return StoreException.full(in.text());
        }
        return switch (question.verb()) {
            case CONSUME, PEEK, RESERVE, ACQUIRE -> readDecision(in, now);
            case SETTLE, CANCEL -> Book.settlement(in.u8());
            case REFUND, REFUND_RESERVATION, PROLONG, RENEW, RELEASE -> in.flag();
            case RESET, SWEEP -> true;
            case CHANGE_SETTINGS -> in.number();
        };
    }

    private ClusterDecision readDecision(BytesIn in, Moment now) {
        int flags = in.u8();
        boolean isRepeated = (flags & Book.REPEATED) != 0;
        boolean isAdmitted = (flags & Book.ADMITTED) != 0;
        Moment moment = isRepeated ? new Moment(in.number(), in.number()) : now;
        List<Charge> decided = isRepeated ? charges(LinesCodec.read(in, store.meters())) : charges;
        int count = in.count(3);
        if (count != decided.size()) {
            throw new MalformedException(count + " readings for " + decided.size() + " charges");
        }
        List<Reading> readings = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            readings.add(reading(in, decided.get(i)));
        }
        long resetsSeen = isAdmitted && question.verb() != Verb.PEEK ? in.number() : 0;
        boolean isReservation = question.verb() == Verb.RESERVE;
        boolean spent = isAdmitted && question.verb() != Verb.PEEK && (isReservation || !isRepeated);
        return new ClusterDecision(
                store, decided, readings, isAdmitted, spent, moment, resetsSeen, isReservation ? question.id() : null);
    }

    private static List<Charge> charges(List<Line> lines) {
        return lines.stream()
                .map(line -> new Charge(KeyTexts.parse(line.key()), line.meter().policy(), line.cost()))
                .toList();
    }

    private Reading reading(BytesIn in, Charge charge) {
        Resolution resolution = store.meters().of(charge.policy()).resolution();
        int kind = in.u8();
        long remaining = in.number();
        Duration retryAfter = kind == Teller.REFUSED ? resolution.toDuration(in.number()) : Duration.ZERO;
        Duration resetAfter = resolution.toDuration(in.number());
        return switch (kind) {
            case Teller.ADMITTED -> new Reading.Admitted(remaining, resetAfter);
            case Teller.FITS -> new Reading.Fits(remaining, resetAfter);
            case Teller.REFUSED -> new Reading.Refused(remaining, retryAfter, resetAfter);
            case Teller.IMPOSSIBLE ->
                new Reading.Impossible(remaining, charge.policy().capacity(), resetAfter);
            default -> throw new MalformedException("unknown reading " + kind);
        };
    }
}

package dev.weir.store.cluster;

import dev.weir.ArgumentException;
import dev.weir.Charge;
import dev.weir.Reading;
import dev.weir.StoreException;
import dev.weir.algorithm.Meter;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.Moment;
import dev.weir.ledger.Outcome;
import dev.weir.store.raft.BytesIn;
import java.util.List;

/**
 * A pending command with the data that is needed to decode its result.
 *
 * @param charges the charges of a decision; empty for other commands
 */
record Ask(ClusterStore store, Question question, List<Charge> charges) {
    /** Decodes the result: a decision, a settlement, a boolean, a number, or the exception of a failed command. */
    Object read(BytesIn in, Moment now) {
        int status = in.u8();
        if (status == Book.MISUSE) {
            return misuse(in.text());
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

    /** The exception for a misuse: the state machine supplies the message, the command determines the argument. */
    private IllegalArgumentException misuse(String message) {
        return switch (question.verb()) {
            case RESERVE -> new ArgumentException("id", message);
            case SETTLE -> new ArgumentException("costs", message);
            default -> new IllegalArgumentException(message);
        };
    }

    private LedgerDecision readDecision(BytesIn in, Moment now) {
        int flags = in.u8();
        boolean isRepeated = (flags & Book.REPEATED) != 0;
        Outcome.Kind kind = (flags & Book.ADMITTED) == 0
                ? Outcome.Kind.REFUSED
                : question.verb() == Verb.PEEK
                        ? Outcome.Kind.FITS
                        : isRepeated ? Outcome.Kind.REPEATED : Outcome.Kind.SPENT;
        Moment moment = isRepeated ? new Moment(in.number(), in.number()) : now;
        List<Charge> decided = isRepeated ? charges(LinesCodec.read(in, store.meters())) : charges;
        List<Reading> readings = ReadingsCodec.read(in, meters(decided));
        long[] resetsSeen = {kind == Outcome.Kind.SPENT || isRepeated ? in.number() : 0};
        String reservation = question.verb() == Verb.RESERVE ? question.id() : null;
        return new LedgerDecision(store, decided, readings, kind, moment, resetsSeen, reservation);
    }

    private List<Meter> meters(List<Charge> decided) {
        return decided.stream()
                .map(charge -> store.meters().of(charge.policy()))
                .toList();
    }

    private static List<Charge> charges(List<Line> lines) {
        return lines.stream()
                .map(line -> new Charge(KeyTexts.parse(line.key()), line.meter().policy(), line.cost()))
                .toList();
    }
}

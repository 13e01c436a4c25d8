package dev.weir.store.cluster;

import dev.weir.ArgumentException;
import dev.weir.Charge;
import dev.weir.Reading;
import dev.weir.StoreException;
import dev.weir.algorithm.PolicyModel;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.LedgerOutcome;
import dev.weir.ledger.StoreTime;
import dev.weir.store.consensus.BytesIn;
import java.util.List;

/**
 * A pending command with the data that is needed to decode its result.
 *
 * @param charges the charges of a decision; empty for other commands
 */
record PendingCall(ClusterStore store, ClusterRequest request, List<Charge> charges) {
    /** Decodes the result: a decision, a settlement, a boolean, a number, or the exception of a failed command. */
    Object read(BytesIn in, StoreTime now) {
        int status = in.u8();
        if (status == ClusterState.MISUSE) {
            return misuse(in.text());
        }
        if (status == ClusterState.FULL) {
            return StoreException.full(in.text());
        }
        return switch (request.verb()) {
            case CONSUME, PEEK, RESERVE, ACQUIRE -> readDecision(in, now);
            case SETTLE, CANCEL -> ClusterState.settlement(in.u8());
            case REFUND, REFUND_RESERVATION, PROLONG, RENEW, RELEASE -> in.flag();
            case RESET, SWEEP -> true;
            case CHANGE_SETTINGS -> in.number();
        };
    }

    /** The exception for a misuse: the state machine supplies the message, the command determines the argument. */
    private IllegalArgumentException misuse(String message) {
        return switch (request.verb()) {
            case RESERVE -> new ArgumentException("id", message);
            case SETTLE -> new ArgumentException("costs", message);
            default -> new IllegalArgumentException(message);
        };
    }

    private LedgerDecision readDecision(BytesIn in, StoreTime now) {
        int flags = in.u8();
        boolean isRepeated = (flags & ClusterState.REPEATED) != 0;
        LedgerOutcome.Kind kind = (flags & ClusterState.ADMITTED) == 0
                ? LedgerOutcome.Kind.REFUSED
                : request.verb() == ClusterCommand.PEEK
                        ? LedgerOutcome.Kind.FITS
                        : isRepeated ? LedgerOutcome.Kind.REPEATED : LedgerOutcome.Kind.SPENT;
        StoreTime storeTime = isRepeated ? new StoreTime(in.number(), in.number()) : now;
        List<Charge> decided = isRepeated ? charges(StateChargeCodec.read(in, store.policyModels())) : charges;
        List<Reading> readings = ReadingsCodec.read(in, policyModels(decided));
        long[] resetsSeen = {kind == LedgerOutcome.Kind.SPENT || isRepeated ? in.number() : 0};
        String reservation = request.verb() == ClusterCommand.RESERVE ? request.id() : null;
        return new LedgerDecision(store, decided, readings, kind, storeTime, resetsSeen, reservation);
    }

    private List<PolicyModel> policyModels(List<Charge> decided) {
        return decided.stream()
                .map(charge -> store.policyModels().of(charge.policy()))
                .toList();
    }

    private static List<Charge> charges(List<StateCharge> lines) {
        return lines.stream()
                .map(line ->
                        new Charge(KeyTextParser.parse(line.key()), line.model().policy(), line.cost()))
                .toList();
    }
}

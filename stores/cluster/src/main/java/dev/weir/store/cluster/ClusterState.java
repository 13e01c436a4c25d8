package dev.weir.store.cluster;

import dev.weir.Settlement;
import dev.weir.algorithm.PolicyModel;
import dev.weir.ledger.LedgerOperations;
import dev.weir.ledger.LedgerOutcome;
import dev.weir.ledger.StoreTime;
import dev.weir.store.cluster.Budgets.FullException;
import dev.weir.store.cluster.Sessions.Session;
import dev.weir.store.consensus.BytesIn;
import dev.weir.store.consensus.BytesIn.MalformedException;
import dev.weir.store.consensus.BytesOut;
import dev.weir.store.consensus.FormatRange;
import java.util.ArrayList;
import java.util.List;

/**
 * The replicated state machine of the cluster: applies batches of commands from the log to the budgets, holds and
 * settings.
 *
 * <p><b>Deterministic.</b> The next state and the reply depend only on the state, the batch and the time of its log
 * entry. Every node applies the same entries in the same order, so all nodes have the same state. Therefore this class
 * reads no clock and uses no random numbers; the secret of {@link Budgets} comes from the first batch. No result
 * depends on the iteration order of a hash table: iterated tables have insertion order, which is part of the state. A
 * command that fails leaves the same state on every node; its reply is {@link #MISUSE} or {@link #FULL}.
 *
 * <p><b>Sessions.</b> A node submits a batch again if it does not know whether the log accepted it, so one batch may be
 * in the log several times. The pair of client and sequence number identifies it. The first copy is applied and its
 * reply stored; further copies return the stored reply and change nothing. Each batch also says below which number all
 * its client's batches have completed; the replies to those are dropped. {@link Sessions} is part of the state, so this
 * holds after a change of leader and after a restore.
 *
 * <p><b>Snapshots.</b> {@link ClusterStateSnapshot} writes the complete state, including orders and sessions. A node that
 * restores a snapshot and applies the later entries has the same state as a node that applied all entries. The counters
 * of sweeps are no part of it; they only feed metrics.
 *
 * <p><b>Format.</b> A batch: format, client, sequence number, number below which all batches have completed, policies,
 * commands ({@link CommandBatch} writes it). A reply: the time of the entry (microseconds and wall-clock milliseconds), then
 * for each command {@link #OK} and its result, or {@link #MISUSE} or {@link #FULL} and a message.
 *
 * <p>Not safe for use by several threads: only the thread of the consensus node calls it. Other threads may read the
 * settings.
 */
final class ClusterState {
    /** The versions of the format of batches, replies and snapshots that can be read. */
    static final FormatRange FORMATS = new FormatRange(2, 2);

    static final int OK = 0;
    static final int MISUSE = 1;
    static final int FULL = 2;

    /** Flag of a decision: all charges were admitted. */
    static final int ADMITTED = 1;
    /** Flag of a decision: it repeats an earlier one, whose time and charges follow. */
    static final int REPEATED = 2;

    static final int MOST_BUDGETS = 1_000_000;
    private static final int MOST_RECORDS = 250_000;

    final PolicyModels policyModels = new PolicyModels();
    final Budgets budgets;
    final Sessions sessions = new Sessions();
    final Records reservations = new Records("reservations", MOST_RECORDS);
    final Records leases = new Records("leases", MOST_RECORDS);
    final SettingsState settings;
    final FormatRange formats;
    /** The newest format of all that was applied. Snapshots have it, so that every node can read them. */
    int format;

    /** A batch or a snapshot has a format that this version cannot read. A node must not go on without it. */
    static final class UnknownFormatException extends MalformedException {
        private static final long serialVersionUID = 1L;

        UnknownFormatException(String what, int format, FormatRange known) {
            super(what + " has format " + format + ", and this version of Weir reads format " + known
                    + "; run the version of the other nodes");
        }
    }

    /** @param settings the settings, which other threads may read; restoring a snapshot replaces their content */
    ClusterState(int mostBudgets, SettingsState settings, FormatRange formats) {
        this.settings = settings;
        this.formats = formats;
        this.format = formats.oldest();
        this.budgets = new Budgets(mostBudgets);
    }

    /**
     * Applies a batch and returns the reply: the stored one for a repeated batch, no bytes if that was dropped already.
     *
     * @throws MalformedException if the batch cannot be read
     * @throws UnknownFormatException if it is of another version
     */
    byte[] apply(byte[] batch, StoreTime now) {
        BytesIn in = new BytesIn(batch);
        int written = in.u8();
        if (!formats.contains(written)) {
            throw new UnknownFormatException("an entry of the log", written, formats);
        }
        format = Math.max(format, written);
        long client = in.i64();
        long sequence = in.number();
        long answeredBelow = in.number();
        if (budgets.secret() == 0) {
            budgets.secret(client | 1);
        }
        Session session = sessions.of(client, now.micros());
        session.answered(answeredBelow);
        byte[] known = session.reply(sequence);
        if (known != null || session.isOver(sequence)) {
            return known == null ? new byte[0] : known;
        }
        byte[] reply = answers(in, now);
        session.remember(sequence, reply);
        return reply;
    }

    private byte[] answers(BytesIn in, StoreTime now) {
        List<PolicyModel> policies = new ArrayList<>();
        for (int i = in.count(1); i > 0; i--) {
            policies.add(policyModels.of(PolicyCodec.read(in)));
        }
        BytesOut out = new BytesOut();
        out.number(now.micros());
        out.number(now.wallMillis());
        for (int i = in.count(1); i > 0; i--) {
            int begin = out.size();
            ClusterCommand verb = ClusterCommand.of(in.u8());
            ClusterRequest request = ClusterRequest.read(verb, in, policies);
            out.u8(OK);
            try {
                answer(request, now, out);
            } catch (IllegalArgumentException e) {
                fail(out, begin, MISUSE, e);
            } catch (FullException e) {
                fail(out, begin, FULL, e);
            }
        }
        return out.toBytes();
    }

    private static void fail(BytesOut out, int begin, int status, RuntimeException e) {
        out.truncate(begin);
        out.u8(status);
        out.text(String.valueOf(e.getMessage()));
    }

    private void answer(ClusterRequest q, StoreTime now, BytesOut out) {
        LedgerOperations<StateCharge> operations = new LedgerOperations<>(budgets, reservations, leases, now);
        switch (q.verb()) {
            case CONSUME -> write(operations.consume(q.lines()), out);
            case PEEK -> write(operations.peek(q.lines()), out);
            case REFUND -> {
                operations.refund(q.spent().outcome(q.lines()));
                out.flag(true);
            }
            case REFUND_RESERVATION ->
                out.flag(operations.refundReservation(q.id(), q.spent().at()));
            case RESET -> q.lines().forEach(line -> budgets.reset(line.key(), now));
            case RESERVE -> write(operations.reserve(q.id(), q.lines(), q.ttlMicros()), out);
            case SETTLE -> out.u8(number(operations.settle(q.id(), q.costs())));
            case CANCEL -> out.u8(number(operations.cancel(q.id())));
            case PROLONG -> out.flag(operations.prolong(q.id(), q.ttlMicros()));
            case ACQUIRE -> write(operations.acquire(q.id(), q.lines(), q.ttlMicros()), out);
            case RENEW -> out.flag(operations.renew(q.id(), q.ttlMicros()));
            case RELEASE -> out.flag(operations.release(q.id()));
            case CHANGE_SETTINGS -> out.number(settings.change(q.change()));
            case SWEEP -> sweep(q.ttlMicros(), now);
        }
    }

    /** Writes a decision. A repeated one includes its charges, which the caller may not know, and their time. */
    private static void write(LedgerOutcome<StateCharge> outcome, BytesOut out) {
        boolean isRepeated = outcome.kind() == LedgerOutcome.Kind.REPEATED;
        out.u8((outcome.admitted() ? ADMITTED : 0) | (isRepeated ? REPEATED : 0));
        if (isRepeated) {
            out.number(outcome.at().micros());
            out.number(outcome.at().wallMillis());
            StateChargeCodec.write(out, outcome.charges());
        }
        ReadingsCodec.write(out, outcome);
    }

    /** The number of a settlement in a reply; {@link #settlement} reads it. */
    private static int number(Settlement settlement) {
        return switch (settlement) {
            case DONE -> 0;
            case ALREADY_CLOSED -> 1;
            case UNKNOWN -> 2;
        };
    }

    static Settlement settlement(int number) {
        return switch (number) {
            case 0 -> Settlement.DONE;
            case 1 -> Settlement.ALREADY_CLOSED;
            case 2 -> Settlement.UNKNOWN;
            default -> throw new MalformedException("unknown settlement " + number);
        };
    }

    private void sweep(long count, StoreTime now) {
        int some = (int) Math.min(count, MOST_BUDGETS);
        budgets.sweep(some, now);
        reservations.sweep(some, now);
        leases.sweep(some, now);
    }
}

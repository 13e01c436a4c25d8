package dev.weir.store.cluster;

import dev.weir.Settlement;
import dev.weir.algorithm.Meter;
import dev.weir.ledger.LedgerOperations;
import dev.weir.ledger.Moment;
import dev.weir.ledger.Outcome;
import dev.weir.store.cluster.Budgets.FullException;
import dev.weir.store.cluster.Sessions.Session;
import dev.weir.store.raft.BytesIn;
import dev.weir.store.raft.BytesIn.MalformedException;
import dev.weir.store.raft.BytesOut;
import java.util.ArrayList;
import java.util.List;

/**
 * All that the cluster knows, and what each batch of questions makes of it.
 *
 * <p>Pure: the next state and every reply depend on the state, the batch and the moment that the log gives it, and on
 * nothing else, so that the book is the same on every node. It reads no clock and depends on the order of no hash table.
 * A batch that was applied before is answered as it was then and changes nothing. Not safe for use by several threads.
 *
 * <p>A batch: its client, its number, below which number everything is answered, the policies, the questions
 * ({@link Batch} writes it). A reply: the moment, then for each question {@link #OK} and its answer, or {@link #MISUSE}
 * or {@link #FULL} and a text.
 */
final class Book {
    /** The format of batches, replies and snapshots: nodes of another one are another cluster. */
    static final int FORMAT = 2;

    static final int OK = 0;
    static final int MISUSE = 1;
    static final int FULL = 2;

    /** In the flags of a decision: all was admitted. */
    static final int ADMITTED = 1;
    /** In the flags of a decision: the charges follow, as they are those of an earlier call. */
    static final int REPEATED = 2;

    static final int MOST_BUDGETS = 1_000_000;
    private static final int MOST_RECORDS = 250_000;

    final Meters meters = new Meters();
    final Budgets budgets;
    final Sessions sessions = new Sessions();
    final Records reservations = new Records("reservations", MOST_RECORDS);
    final Records leases = new Records("leases", MOST_RECORDS);
    final SettingsBook settings;

    /** @param settings where others look; its content is replaced when a snapshot is read */
    Book(int mostBudgets, SettingsBook settings) {
        this.settings = settings;
        this.budgets = new Budgets(mostBudgets);
    }

    /** Applies a batch and answers the reply. */
    byte[] apply(byte[] batch, Moment now) {
        BytesIn in = new BytesIn(batch);
        if (in.u8() != FORMAT) {
            throw new MalformedException("a batch of another format than " + FORMAT);
        }
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

    private byte[] answers(BytesIn in, Moment now) {
        List<Meter> policies = new ArrayList<>();
        for (int i = in.count(1); i > 0; i--) {
            policies.add(meters.of(PolicyCodec.read(in)));
        }
        BytesOut out = new BytesOut();
        out.number(now.micros());
        out.number(now.wallMillis());
        for (int i = in.count(1); i > 0; i--) {
            int begin = out.size();
            Verb verb = Verb.of(in.u8());
            Question question = Question.read(verb, in, policies);
            out.u8(OK);
            try {
                answer(question, now, out);
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

    private void answer(Question q, Moment now, BytesOut out) {
        LedgerOperations<Line> operations = new LedgerOperations<>(budgets, reservations, leases, now);
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

    /** The reply to a repeated call has the charges, which the caller may not know, and when they were made. */
    private static void write(Outcome<Line> outcome, BytesOut out) {
        boolean isRepeated = outcome.kind() == Outcome.Kind.REPEATED;
        out.u8((outcome.admitted() ? ADMITTED : 0) | (isRepeated ? REPEATED : 0));
        if (isRepeated) {
            out.number(outcome.at().micros());
            out.number(outcome.at().wallMillis());
            LinesCodec.write(out, outcome.charges());
        }
        ReadingsCodec.write(out, outcome);
    }

    /** {@link #settlement} reads it. */
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

    private void sweep(long count, Moment now) {
        int some = (int) Math.min(count, MOST_BUDGETS);
        budgets.sweep(some, now);
        reservations.sweep(some, now);
        leases.sweep(some, now);
    }
}

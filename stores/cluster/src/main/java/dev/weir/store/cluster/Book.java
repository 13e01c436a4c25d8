package dev.weir.store.cluster;

import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.SlotLedger;
import dev.weir.store.cluster.Budgets.FullException;
import dev.weir.store.cluster.Sessions.Session;
import dev.weir.store.cluster.Teller.Holder;
import dev.weir.store.raft.BytesIn;
import dev.weir.store.raft.BytesIn.MalformedException;
import dev.weir.store.raft.BytesOut;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
    private static final long CLOSED_MICROS = Store.CLOSED_TTL.toNanos() / 1_000;

    final Meters meters = new Meters();
    final Budgets budgets;
    final Sessions sessions = new Sessions();
    final Records<Reservation> reservations = new Records<>("reservations", MOST_RECORDS);
    final Records<Lease> leases = new Records<>("leases", MOST_RECORDS);
    final SettingsBook settings;
    private final Teller teller;

    /** @param settings where others look; its content is replaced when a snapshot is read */
    Book(int mostBudgets, SettingsBook settings) {
        this.settings = settings;
        this.budgets = new Budgets(mostBudgets);
        this.teller = new Teller(budgets);
    }

    /** @param readings as the first call was answered, with how many resets there had been */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
    record Reservation(List<Line> lines, byte[] readings, Moment spentAt, long end, boolean isClosed)
            implements Records.Expiring {}

    record Lease(List<Line> lines, long end) implements Records.Expiring {}

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
        switch (q.verb()) {
            case CONSUME -> decide(q.lines(), null, now, out);
            case PEEK -> peek(q.lines(), now, out);
            case REFUND -> refund(q, now, out);
            case REFUND_RESERVATION -> out.flag(refundReservation(q, now));
            case RESET -> q.lines().forEach(line -> budgets.reset(line.key(), now));
            case RESERVE -> reserve(q, now, out);
            case SETTLE -> out.u8(number(close(q.id(), q.costs(), false, now)));
            case CANCEL -> out.u8(number(close(q.id(), Map.of(), true, now)));
            case PROLONG -> out.flag(prolong(q, now));
            case ACQUIRE -> acquire(q, now, out);
            case RENEW -> out.flag(renewed(q.id(), now.micros() + q.ttlMicros(), now));
            case RELEASE -> out.flag(release(q.id(), now));
            case CHANGE_SETTINGS -> out.number(settings.change(q.change()));
            case SWEEP -> sweep(q.ttlMicros(), now);
        }
    }

    private boolean decide(List<Line> lines, @Nullable Holder holder, Moment now, BytesOut out) {
        int flags = out.size();
        out.u8(0);
        boolean admitted = teller.decide(lines, holder, now, out);
        out.set(flags, admitted ? ADMITTED : 0);
        if (admitted) {
            out.number(budgets.resets.count());
        }
        return admitted;
    }

    private void peek(List<Line> lines, Moment now, BytesOut out) {
        int flags = out.size();
        out.u8(0);
        out.set(flags, teller.look(lines, now, out) ? ADMITTED : 0);
    }

    private void refund(Question q, Moment now, BytesOut out) {
        for (int i = 0; i < q.lines().size(); i++) {
            Line line = q.lines().get(i);
            budgets.adjust(line, -line.cost(), q.spent(), i, now);
        }
        out.flag(true);
    }

    /** Its id may be another reservation's by now. */
    private boolean refundReservation(Question q, Moment now) {
        Reservation open = reservations.get(q.id(), now);
        return open != null
                && open.spentAt.equals(q.spent().at())
                && close(q.id(), Map.of(), true, now) == Settlement.DONE;
    }

    private void reserve(Question q, Moment now, BytesOut out) {
        Reservation open = reservations.get(q.id(), now);
        if (open != null) {
            if (!keys(open.lines).equals(keys(q.lines()))) {
                throw new IllegalArgumentException(
                        "the reservation '" + q.id() + "' was made for other keys; a new reservation needs a new id");
            }
            out.u8(ADMITTED | REPEATED);
            writeRepeated(out, open.lines, open.spentAt);
            out.raw(open.readings, 0, open.readings.length);
            return;
        }
        reservations.makeRoom(q.id(), now);
        int begin = out.size() + 1;
        if (decide(q.lines(), null, now, out)) {
            byte[] readings = out.copy(begin);
            reservations.put(q.id(), new Reservation(q.lines(), readings, now, now.micros() + q.ttlMicros(), false));
        }
    }

    private Settlement close(String id, Map<String, Long> costs, boolean cancel, Moment now) {
        Reservation open = reservations.get(id, now);
        if (open == null) {
            return Settlement.UNKNOWN;
        }
        if (open.isClosed) {
            return Settlement.ALREADY_CLOSED;
        }
        for (String scope : costs.keySet()) {
            if (open.lines.stream().noneMatch(line -> line.isOfScope(scope))) {
                throw new IllegalArgumentException("the reservation holds nothing for '" + scope + "'");
            }
        }
        Spending spent = Spending.of(open.spentAt, open.readings);
        for (int i = 0; i < open.lines.size(); i++) {
            Line line = open.lines.get(i);
            budgets.adjust(line, (cancel ? 0 : actual(line, costs)) - line.cost(), spent, i, now);
        }
        long end = Math.min(open.end, now.micros() + CLOSED_MICROS);
        reservations.put(id, new Reservation(open.lines, open.readings, open.spentAt, end, true));
        return Settlement.DONE;
    }

    private boolean prolong(Question q, Moment now) {
        Reservation open = reservations.get(q.id(), now);
        if (open == null || open.isClosed) {
            return false;
        }
        long end = now.micros() + q.ttlMicros();
        reservations.put(q.id(), new Reservation(open.lines, open.readings, open.spentAt, end, false));
        return true;
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

    private static long actual(Line line, Map<String, Long> costs) {
        for (Map.Entry<String, Long> cost : costs.entrySet()) {
            if (line.isOfScope(cost.getKey())) {
                return cost.getValue();
            }
        }
        return line.cost();
    }

    private void acquire(Question q, Moment now, BytesOut out) {
        long end = now.micros() + q.ttlMicros();
        Lease held = leases.get(q.id(), now);
        if (held != null && renewed(q.id(), end, now)) {
            out.u8(ADMITTED | REPEATED);
            writeRepeated(out, held.lines, now);
            teller.lookAtHeld(held.lines, now, out);
            out.number(budgets.resets.count());
            return;
        }
        leases.makeRoom(q.id(), now);
        if (decide(q.lines(), new Holder(q.id(), end), now, out)) {
            leases.put(q.id(), new Lease(q.lines(), end));
        }
    }

    private boolean renewed(String id, long end, Moment now) {
        Lease held = leases.get(id, now);
        if (held == null) {
            return false;
        }
        for (Line line : held.lines) {
            SlotLedger slots = line.isForSlots() ? budgets.slots(line.key()) : null;
            if (line.isForSlots() && (slots == null || !slots.renew(id, end, now.micros()))) {
                release(id, now);
                return false;
            }
        }
        leases.put(id, new Lease(held.lines, end));
        return true;
    }

    private boolean release(String id, Moment now) {
        Lease held = leases.get(id, now);
        leases.remove(id);
        if (held == null) {
            return false;
        }
        for (Line line : held.lines) {
            SlotLedger slots = budgets.slots(line.key());
            if (slots != null) {
                slots.release(id);
            }
        }
        return true;
    }

    private void sweep(long count, Moment now) {
        int some = (int) Math.min(count, MOST_BUDGETS);
        budgets.sweep(some, now);
        reservations.sweep(some, now);
        leases.sweep(some, now);
    }

    private static List<String> keys(List<Line> lines) {
        return lines.stream().map(Line::key).toList();
    }

    /** Charges that the caller may not know, and when they were made. */
    private static void writeRepeated(BytesOut out, List<Line> lines, Moment at) {
        out.number(at.micros());
        out.number(at.wallMillis());
        LinesCodec.write(out, lines);
    }
}

package dev.weir.store.cluster;

import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.algorithm.Meter;
import dev.weir.ledger.Budget;
import dev.weir.ledger.Hold;
import dev.weir.ledger.Moment;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.store.cluster.Sessions.Session;
import dev.weir.store.raft.BytesIn;
import dev.weir.store.raft.BytesIn.MalformedException;
import dev.weir.store.raft.BytesOut;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Writes and reads snapshots of the replicated state: a format number, the policies, then each table in its order.
 *
 * <p>The order of the tables' entries is part of the state. A restored state machine returns bit-identical replies to
 * the original.
 */
final class BookSnapshot {
    private BookSnapshot() {}

    static byte[] write(Book book) {
        Writer writer = new Writer(book);
        BytesOut tables = writer.tables();
        BytesOut out = new BytesOut(tables.size() + 1_024);
        out.u8(Book.FORMAT);
        out.number(writer.policies.size());
        writer.policies.keySet().forEach(policy -> PolicyCodec.write(out, policy));
        out.raw(tables.array(), 0, tables.size());
        return out.toBytes();
    }

    /**
     * Reads a snapshot into a new, empty state machine.
     *
     * @throws MalformedException if the snapshot has another format or is damaged
     */
    static void read(byte[] snapshot, Book book) {
        BytesIn in = new BytesIn(snapshot);
        int format = in.u8();
        if (format != Book.FORMAT) {
            throw new MalformedException("a snapshot of format " + format + "; this version reads " + Book.FORMAT);
        }
        new Reader(in, book).tables();
        in.end();
    }

    private static final class Writer {
        private final Book book;
        private final Map<Policy, Integer> policies = new LinkedHashMap<>();
        private final BytesOut out = new BytesOut(1 << 16);

        Writer(Book book) {
            this.book = book;
        }

        BytesOut tables() {
            out.i64(book.budgets.secret());
            out.number(book.budgets.metSize());
            book.budgets.forEachMet((policy, ticks) -> {
                policy(policy);
                out.number(ticks);
            });
            out.number(book.budgets.ownSize());
            book.budgets.forEachOwn(this::budget);
            out.number(book.budgets.sharedSize());
            book.budgets.forEachShared(this::budget);
            resets();
            out.number(book.reservations.size());
            book.reservations.forEach(this::reservation);
            out.number(book.leases.size());
            book.leases.forEach(this::lease);
            sessions();
            settings();
            return out;
        }

        private void policy(Policy policy) {
            Integer known = policies.putIfAbsent(policy, policies.size());
            out.number(known == null ? policies.size() - 1 : known);
        }

        private void budget(String key, Budget budget) {
            out.text(key);
            policy(budget.meter().policy());
            long[] state = budget.ledger().state();
            out.number(state.length);
            for (long number : state) {
                out.signed(number);
            }
        }

        private void resets() {
            out.number(book.budgets.resets.count());
            reset(book.budgets.resets.forgotten());
            out.number(book.budgets.resets.size());
            book.budgets.resets.forEach((key, reset) -> {
                out.text(key);
                reset(reset);
            });
        }

        private void reset(Resets.Reset reset) {
            out.number(reset.number());
            out.number(reset.at());
        }

        private void reservation(String id, Hold<Line> reservation) {
            BytesOut readings = new BytesOut();
            ReadingsCodec.write(readings, reservation.spent());
            out.text(id);
            LinesCodec.write(out, reservation.charges());
            out.bytes(readings.toBytes());
            out.number(reservation.spent().at().micros());
            out.number(reservation.spent().at().wallMillis());
            out.number(reservation.endsAt());
            out.flag(reservation.closed());
        }

        private void lease(String id, Hold<Line> lease) {
            out.text(id);
            LinesCodec.write(out, lease.charges());
            out.number(lease.endsAt());
        }

        private void sessions() {
            out.number(book.sessions.all().size());
            book.sessions.all().forEach((client, session) -> {
                out.i64(client);
                out.number(session.micros);
                out.number(session.oldest);
                out.number(session.replies.size());
                session.replies.forEach((sequence, reply) -> {
                    out.number(sequence);
                    out.bytes(reply);
                });
            });
        }

        private void settings() {
            out.bytes(book.settings.format.write(book.settings.current()));
            List<AuditEntry> audit = book.settings.audit();
            out.number(audit.size());
            audit.forEach(entry -> out.bytes(book.settings.format.write(entry)));
        }
    }

    private static final class Reader {
        private final BytesIn in;
        private final Book book;
        private final List<Meter> policies = new ArrayList<>();

        Reader(BytesIn in, Book book) {
            this.in = in;
            this.book = book;
        }

        void tables() {
            for (int i = in.count(1); i > 0; i--) {
                policies.add(book.meters.of(PolicyCodec.read(in)));
            }
            book.budgets.secret(in.i64());
            for (int i = in.count(2); i > 0; i--) {
                Policy policy = policy().policy();
                book.budgets.restoreMet(policy, in.number());
            }
            budgets(book.budgets::restoreOwn);
            budgets(book.budgets::restoreShared);
            book.budgets.resets.restore(in.number(), reset());
            for (int i = in.count(3); i > 0; i--) {
                book.budgets.resets.restore(in.text(), reset());
            }
            for (int i = in.count(4); i > 0; i--) {
                book.reservations.put(in.text(), reservation());
            }
            for (int i = in.count(3); i > 0; i--) {
                book.leases.put(in.text(), lease());
            }
            sessions();
            settings();
        }

        private Meter policy() {
            long index = in.number();
            if (index < 0 || index >= policies.size()) {
                throw new MalformedException("policy " + index + " of " + policies.size());
            }
            return policies.get((int) index);
        }

        private void budgets(BiConsumer<String, Budget> into) {
            for (int i = in.count(3); i > 0; i--) {
                String key = in.text();
                Meter meter = policy();
                long[] state = new long[in.count(1)];
                for (int j = 0; j < state.length; j++) {
                    state[j] = in.signed();
                }
                into.accept(key, new Budget(meter, meter.resume(state)));
            }
        }

        private Resets.Reset reset() {
            return new Resets.Reset(in.number(), in.number());
        }

        private Hold<Line> reservation() {
            List<Line> lines = LinesCodec.read(in, book.meters);
            BytesIn told = new BytesIn(in.bytes());
            List<Reading> readings =
                    ReadingsCodec.read(told, lines.stream().map(Line::meter).toList());
            Moment spentAt = new Moment(in.number(), in.number());
            return new Hold<>(Spending.outcome(lines, readings, spentAt, told.number()), in.number(), in.flag());
        }

        /** Reads a lease. It has no readings, because they are not used again. */
        private Hold<Line> lease() {
            List<Line> lines = LinesCodec.read(in, book.meters);
            return new Hold<>(Spending.outcome(lines, List.of(), new Moment(0, 0), 0), in.number(), false);
        }

        private void sessions() {
            for (int i = in.count(11); i > 0; i--) {
                long client = in.i64();
                Session session = new Session();
                session.micros = in.number();
                session.oldest = in.number();
                for (int j = in.count(2); j > 0; j--) {
                    session.replies.put(in.number(), in.bytes());
                }
                book.sessions.all().put(client, session);
            }
        }

        private void settings() {
            SettingsSnapshot snapshot = book.settings.format.readSnapshot(in.bytes());
            List<AuditEntry> audit = new ArrayList<>();
            for (int i = in.count(1); i > 0; i--) {
                audit.add(book.settings.format.readEntry(in.bytes()));
            }
            book.settings.restore(snapshot, audit);
        }
    }
}

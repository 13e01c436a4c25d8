package dev.weir.store.cluster;

import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.algorithm.PolicyModel;
import dev.weir.ledger.Budget;
import dev.weir.ledger.StoreTime;
import dev.weir.ledger.StoredHold;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsFormat;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.store.cluster.Sessions.Session;
import dev.weir.store.consensus.BytesIn;
import dev.weir.store.consensus.BytesIn.MalformedException;
import dev.weir.store.consensus.BytesOut;
import dev.weir.store.consensus.Consensus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * Writes and reads snapshots of the replicated state: a format number, the policies, then each table in its order.
 *
 * <p>The order of the tables' entries is part of the state. A restored state machine returns bit-identical replies to
 * the original.
 */
final class ClusterStateSnapshot {
    private ClusterStateSnapshot() {}

    static byte[] write(ClusterState clusterState) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            capture(clusterState).encode(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /**
     * Captures the state. Only this needs the thread of the state machine; it copies references. The returned encoder runs
     * in another thread while the state changes, and must be called once.
     */
    static Consensus.Encoder capture(ClusterState clusterState) {
        Writer writer = new Writer(clusterState);
        return out -> {
            try {
                writer.write(out);
            } finally {
                writer.budgets.end();
            }
        };
    }

    /**
     * Reads a snapshot into a new, empty state machine.
     *
     * @throws MalformedException if the snapshot is damaged
     * @throws ClusterState.UnknownFormatException if it is of another version
     */
    static void read(byte[] snapshot, ClusterState clusterState) {
        BytesIn in = new BytesIn(snapshot);
        int format = in.u8();
        if (!clusterState.formats.contains(format)) {
            throw new ClusterState.UnknownFormatException("a snapshot", format, clusterState.formats);
        }
        clusterState.format = format;
        new Reader(in, clusterState).tables();
        in.end();
    }

    /** A table at one moment. */
    private static final class CapturedTable<V> {
        private final List<String> keys;
        private final List<V> values;

        CapturedTable(int size) {
            keys = new ArrayList<>(size);
            values = new ArrayList<>(size);
        }

        void add(String key, V value) {
            keys.add(key);
            values.add(value);
        }

        int size() {
            return keys.size();
        }
    }

    /** A copy of the state at one moment, which can be written. */
    private static final class Writer {
        private static final int BYTES_TOGETHER = 1 << 16;

        private final Map<Policy, Integer> policies = new LinkedHashMap<>();
        private final IdentityHashMap<PolicyModel, Integer> numbers = new IdentityHashMap<>();
        private final BytesOut out = new BytesOut(2 * BYTES_TOGETHER);
        private final int formatNumber;
        private final long secret;
        private final Map<Policy, Long> met = new LinkedHashMap<>();
        private final BudgetCapture budgets;
        private final long resetCount;
        private final Resets.Reset forgottenReset;
        private final CapturedTable<Resets.Reset> resets;
        private final CapturedTable<StoredHold<StateCharge>> reservations;
        private final CapturedTable<StoredHold<StateCharge>> leases;
        private final Map<Long, Session> sessions = new LinkedHashMap<>();
        private final SettingsFormat format;
        private final SettingsSnapshot settings;
        private final List<AuditEntry> audit;

        Writer(ClusterState state) {
            formatNumber = state.format;
            secret = state.budgets.secret();
            state.budgets.forEachMet(met::put);
            resetCount = state.budgets.resets.count();
            forgottenReset = state.budgets.resets.forgotten();
            resets = new CapturedTable<>(state.budgets.resets.size());
            state.budgets.resets.forEach(resets::add);
            reservations = new CapturedTable<>(state.reservations.size());
            state.reservations.forEach(reservations::add);
            leases = new CapturedTable<>(state.leases.size());
            state.leases.forEach(leases::add);
            state.sessions.all().forEach((client, session) -> sessions.put(client, session.copy()));
            format = state.settings.format;
            settings = state.settings.current();
            audit = state.settings.audit();
            budgets = state.budgets.capture();
        }

        void write(OutputStream to) throws IOException {
            met.keySet().forEach(this::add);
            for (int i = 0; i < budgets.ownSize() + budgets.sharedSize(); i++) {
                PolicyModel model = budgets.model(i);
                if (!numbers.containsKey(model)) {
                    numbers.put(model, add(model.policy()));
                }
            }
            out.u8(formatNumber);
            out.number(policies.size());
            policies.keySet().forEach(policy -> PolicyCodec.write(out, policy));
            tables(to);
            flush(to, 0);
        }

        private int add(Policy policy) {
            Integer known = policies.putIfAbsent(policy, policies.size());
            return known == null ? policies.size() - 1 : known;
        }

        /** Passes on what is written if it is more than so many bytes. */
        private void flush(OutputStream to, int bytes) throws IOException {
            if (out.size() > bytes) {
                to.write(out.array(), 0, out.size());
                out.truncate(0);
            }
        }

        private void tables(OutputStream to) throws IOException {
            out.i64(secret);
            out.number(met.size());
            met.forEach((policy, ticks) -> {
                out.number(add(policy));
                out.number(ticks);
            });
            out.number(budgets.ownSize());
            budgets.forEachOwn((key, model, state) -> budget(to, key, model, state));
            out.number(budgets.sharedSize());
            budgets.forEachShared((key, model, state) -> budget(to, key, model, state));
            out.number(resetCount);
            reset(forgottenReset);
            out.number(resets.size());
            for (int i = 0; i < resets.size(); i++) {
                out.text(resets.keys.get(i));
                reset(resets.values.get(i));
                flush(to, BYTES_TOGETHER);
            }
            out.number(reservations.size());
            for (int i = 0; i < reservations.size(); i++) {
                reservation(reservations.keys.get(i), reservations.values.get(i));
                flush(to, BYTES_TOGETHER);
            }
            out.number(leases.size());
            for (int i = 0; i < leases.size(); i++) {
                lease(leases.keys.get(i), leases.values.get(i));
                flush(to, BYTES_TOGETHER);
            }
            sessions();
            settings();
        }

        private void budget(OutputStream to, String key, PolicyModel model, long[] state) throws IOException {
            out.text(key);
            out.number(Objects.requireNonNull(numbers.get(model)));
            out.number(state.length);
            for (long number : state) {
                out.signed(number);
            }
            flush(to, BYTES_TOGETHER);
        }

        private void reset(Resets.Reset reset) {
            out.number(reset.number());
            out.number(reset.at());
        }

        private void reservation(String id, StoredHold<StateCharge> reservation) {
            BytesOut readings = new BytesOut();
            ReadingsCodec.write(readings, reservation.spent());
            out.text(id);
            StateChargeCodec.write(out, reservation.charges());
            out.bytes(readings.toBytes());
            out.number(reservation.spent().at().micros());
            out.number(reservation.spent().at().wallMillis());
            out.number(reservation.endsAt());
            out.flag(reservation.closed());
        }

        private void lease(String id, StoredHold<StateCharge> lease) {
            out.text(id);
            StateChargeCodec.write(out, lease.charges());
            out.number(lease.endsAt());
        }

        private void sessions() {
            out.number(sessions.size());
            sessions.forEach((client, session) -> {
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
            out.bytes(format.write(settings));
            out.number(audit.size());
            audit.forEach(entry -> out.bytes(format.write(entry)));
        }
    }

    private static final class Reader {
        private final BytesIn in;
        private final ClusterState clusterState;
        private final List<PolicyModel> policies = new ArrayList<>();

        Reader(BytesIn in, ClusterState clusterState) {
            this.in = in;
            this.clusterState = clusterState;
        }

        void tables() {
            for (int i = in.count(1); i > 0; i--) {
                policies.add(clusterState.policyModels.of(PolicyCodec.read(in)));
            }
            clusterState.budgets.secret(in.i64());
            for (int i = in.count(2); i > 0; i--) {
                Policy policy = policy().policy();
                clusterState.budgets.restoreMet(policy, in.number());
            }
            budgets(clusterState.budgets::restoreOwn);
            budgets(clusterState.budgets::restoreShared);
            clusterState.budgets.resets.restore(in.number(), reset());
            for (int i = in.count(3); i > 0; i--) {
                clusterState.budgets.resets.restore(in.text(), reset());
            }
            for (int i = in.count(4); i > 0; i--) {
                clusterState.reservations.put(in.text(), reservation());
            }
            for (int i = in.count(3); i > 0; i--) {
                clusterState.leases.put(in.text(), lease());
            }
            sessions();
            settings();
        }

        private PolicyModel policy() {
            long index = in.number();
            if (index < 0 || index >= policies.size()) {
                throw new MalformedException("policy " + index + " of " + policies.size());
            }
            return policies.get((int) index);
        }

        private void budgets(BiConsumer<String, Budget> into) {
            for (int i = in.count(3); i > 0; i--) {
                String key = in.text();
                PolicyModel model = policy();
                long[] state = new long[in.count(1)];
                for (int j = 0; j < state.length; j++) {
                    state[j] = in.signed();
                }
                into.accept(key, new Budget(model, model.resume(state)));
            }
        }

        private Resets.Reset reset() {
            return new Resets.Reset(in.number(), in.number());
        }

        private StoredHold<StateCharge> reservation() {
            List<StateCharge> lines = StateChargeCodec.read(in, clusterState.policyModels);
            BytesIn told = new BytesIn(in.bytes());
            List<Reading> readings = ReadingsCodec.read(
                    told, lines.stream().map(StateCharge::model).toList());
            StoreTime spentAt = new StoreTime(in.number(), in.number());
            return new StoredHold<>(
                    RefundData.outcome(lines, readings, spentAt, told.number()), in.number(), in.flag());
        }

        /** Reads a lease. It has no readings, because they are not used again. */
        private StoredHold<StateCharge> lease() {
            List<StateCharge> lines = StateChargeCodec.read(in, clusterState.policyModels);
            return new StoredHold<>(RefundData.outcome(lines, List.of(), new StoreTime(0, 0), 0), in.number(), false);
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
                clusterState.sessions.all().put(client, session);
            }
        }

        private void settings() {
            SettingsSnapshot snapshot = clusterState.settings.format.readSnapshot(in.bytes());
            List<AuditEntry> audit = new ArrayList<>();
            for (int i = in.count(1); i > 0; i--) {
                audit.add(clusterState.settings.format.readEntry(in.bytes()));
            }
            clusterState.settings.restore(snapshot, audit);
        }
    }
}

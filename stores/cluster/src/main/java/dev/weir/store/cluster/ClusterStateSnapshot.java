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
final class ClusterStateSnapshot {
    private ClusterStateSnapshot() {}

    static byte[] write(ClusterState clusterState) {
        return capture(clusterState).encode();
    }

    /**
     * Captures the state. Only this needs the thread of the state machine; it copies numbers and references. The returned
     * encoder may run in another thread while the state changes.
     */
    static Consensus.Encoder capture(ClusterState clusterState) {
        Writer writer = new Writer(clusterState);
        return () -> {
            BytesOut tables = writer.tables();
            BytesOut out = new BytesOut(tables.size() + 1_024);
            out.u8(writer.formatNumber);
            out.number(writer.policies.size());
            writer.policies.keySet().forEach(policy -> PolicyCodec.write(out, policy));
            out.raw(tables.array(), 0, tables.size());
            return out.toBytes();
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

    /** The budgets of one table at one moment. */
    private static final class CapturedBudgets {
        private final String[] keys;
        private final PolicyModel[] models;
        private final long[][] states;
        private int size;

        CapturedBudgets(int size) {
            this.keys = new String[size];
            this.models = new PolicyModel[size];
            this.states = new long[size][];
        }

        void add(String key, Budget budget) {
            keys[size] = key;
            models[size] = budget.model();
            states[size] = budget.ledger().state();
            size++;
        }
    }

    /** A copy of the state at one moment, which can be written. */
    private static final class Writer {
        private final Map<Policy, Integer> policies = new LinkedHashMap<>();
        private final BytesOut out = new BytesOut(1 << 16);
        private final int formatNumber;
        private final long secret;
        private final Map<Policy, Long> met = new LinkedHashMap<>();
        private final CapturedBudgets own;
        private final CapturedBudgets shared;
        private final long resetCount;
        private final Resets.Reset forgottenReset;
        private final Map<String, Resets.Reset> resets = new LinkedHashMap<>();
        private final Map<String, StoredHold<StateCharge>> reservations = new LinkedHashMap<>();
        private final Map<String, StoredHold<StateCharge>> leases = new LinkedHashMap<>();
        private final Map<Long, Session> sessions = new LinkedHashMap<>();
        private final SettingsFormat format;
        private final SettingsSnapshot settings;
        private final List<AuditEntry> audit;

        Writer(ClusterState state) {
            formatNumber = state.format;
            secret = state.budgets.secret();
            state.budgets.forEachMet(met::put);
            own = new CapturedBudgets(state.budgets.ownSize());
            state.budgets.forEachOwn(own::add);
            shared = new CapturedBudgets(state.budgets.sharedSize());
            state.budgets.forEachShared(shared::add);
            resetCount = state.budgets.resets.count();
            forgottenReset = state.budgets.resets.forgotten();
            state.budgets.resets.forEach(resets::put);
            state.reservations.forEach(reservations::put);
            state.leases.forEach(leases::put);
            state.sessions.all().forEach((client, session) -> sessions.put(client, session.copy()));
            format = state.settings.format;
            settings = state.settings.current();
            audit = state.settings.audit();
        }

        BytesOut tables() {
            out.i64(secret);
            out.number(met.size());
            met.forEach((policy, ticks) -> {
                policy(policy);
                out.number(ticks);
            });
            budgets(own);
            budgets(shared);
            out.number(resetCount);
            reset(forgottenReset);
            out.number(resets.size());
            resets.forEach((key, reset) -> {
                out.text(key);
                reset(reset);
            });
            out.number(reservations.size());
            reservations.forEach(this::reservation);
            out.number(leases.size());
            leases.forEach(this::lease);
            sessions();
            settings();
            return out;
        }

        private void policy(Policy policy) {
            Integer known = policies.putIfAbsent(policy, policies.size());
            out.number(known == null ? policies.size() - 1 : known);
        }

        private void budgets(CapturedBudgets budgets) {
            out.number(budgets.size);
            for (int i = 0; i < budgets.size; i++) {
                out.text(budgets.keys[i]);
                policy(budgets.models[i].policy());
                out.number(budgets.states[i].length);
                for (long number : budgets.states[i]) {
                    out.signed(number);
                }
            }
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

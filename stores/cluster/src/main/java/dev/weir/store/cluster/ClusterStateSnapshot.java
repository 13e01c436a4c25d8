package dev.weir.store.cluster;

import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.algorithm.PolicyModel;
import dev.weir.ledger.Budget;
import dev.weir.ledger.Hold;
import dev.weir.ledger.StoreTime;
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
final class ClusterStateSnapshot {
    private ClusterStateSnapshot() {}

    static byte[] write(ClusterState clusterState) {
        Writer writer = new Writer(clusterState);
        BytesOut tables = writer.tables();
        BytesOut out = new BytesOut(tables.size() + 1_024);
        out.u8(ClusterState.FORMAT);
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
    static void read(byte[] snapshot, ClusterState clusterState) {
        BytesIn in = new BytesIn(snapshot);
        int format = in.u8();
        if (format != ClusterState.FORMAT) {
            throw new MalformedException(
                    "a snapshot of format " + format + "; this version reads " + ClusterState.FORMAT);
        }
        new Reader(in, clusterState).tables();
        in.end();
    }

    private static final class Writer {
        private final ClusterState clusterState;
        private final Map<Policy, Integer> policies = new LinkedHashMap<>();
        private final BytesOut out = new BytesOut(1 << 16);

        Writer(ClusterState clusterState) {
            this.clusterState = clusterState;
        }

        BytesOut tables() {
            out.i64(clusterState.budgets.secret());
            out.number(clusterState.budgets.metSize());
            clusterState.budgets.forEachMet((policy, ticks) -> {
                policy(policy);
                out.number(ticks);
            });
            out.number(clusterState.budgets.ownSize());
            clusterState.budgets.forEachOwn(this::budget);
            out.number(clusterState.budgets.sharedSize());
            clusterState.budgets.forEachShared(this::budget);
            resets();
            out.number(clusterState.reservations.size());
            clusterState.reservations.forEach(this::reservation);
            out.number(clusterState.leases.size());
            clusterState.leases.forEach(this::lease);
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
            policy(budget.model().policy());
            long[] state = budget.ledger().state();
            out.number(state.length);
            for (long number : state) {
                out.signed(number);
            }
        }

        private void resets() {
            out.number(clusterState.budgets.resets.count());
            reset(clusterState.budgets.resets.forgotten());
            out.number(clusterState.budgets.resets.size());
            clusterState.budgets.resets.forEach((key, reset) -> {
                out.text(key);
                reset(reset);
            });
        }

        private void reset(Resets.Reset reset) {
            out.number(reset.number());
            out.number(reset.at());
        }

        private void reservation(String id, Hold<StateCharge> reservation) {
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

        private void lease(String id, Hold<StateCharge> lease) {
            out.text(id);
            StateChargeCodec.write(out, lease.charges());
            out.number(lease.endsAt());
        }

        private void sessions() {
            out.number(clusterState.sessions.all().size());
            clusterState.sessions.all().forEach((client, session) -> {
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
            out.bytes(clusterState.settings.format.write(clusterState.settings.current()));
            List<AuditEntry> audit = clusterState.settings.audit();
            out.number(audit.size());
            audit.forEach(entry -> out.bytes(clusterState.settings.format.write(entry)));
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

        private Hold<StateCharge> reservation() {
            List<StateCharge> lines = StateChargeCodec.read(in, clusterState.policyModels);
            BytesIn told = new BytesIn(in.bytes());
            List<Reading> readings = ReadingsCodec.read(
                    told, lines.stream().map(StateCharge::model).toList());
            StoreTime spentAt = new StoreTime(in.number(), in.number());
            return new Hold<>(RefundData.outcome(lines, readings, spentAt, told.number()), in.number(), in.flag());
        }

        /** Reads a lease. It has no readings, because they are not used again. */
        private Hold<StateCharge> lease() {
            List<StateCharge> lines = StateChargeCodec.read(in, clusterState.policyModels);
            return new Hold<>(RefundData.outcome(lines, List.of(), new StoreTime(0, 0), 0), in.number(), false);
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

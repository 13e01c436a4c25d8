package dev.weir.store.cluster;

import dev.weir.Policy;
import dev.weir.Store;
import dev.weir.algorithm.PolicyModel;
import dev.weir.store.consensus.BytesIn;
import dev.weir.store.consensus.BytesIn.MalformedException;
import dev.weir.store.consensus.BytesOut;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * One command for the replicated state machine. Fields that a command does not use are empty.
 *
 * @param id the id of the reservation or lease
 * @param lines the charges; for a reset the keys
 * @param ttlMicros the time to live of a reservation or lease, in microseconds; for a sweep the number of budgets to
 *     check
 * @param spent the charges to refund
 * @param costs the actual costs by escaped scope
 * @param change an encoded change of settings
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record ClusterRequest(
        ClusterCommand verb,
        String id,
        List<StateCharge> lines,
        long ttlMicros,
        RefundData spent,
        Map<String, Long> costs,
        byte[] change) {

    private static final long LONGEST_TTL_MICROS = Store.LONGEST_TTL.toNanos() / 1_000;
    private static final byte[] NOTHING = {};

    static ClusterRequest of(ClusterCommand verb, String id, List<StateCharge> lines, long ttlMicros) {
        return new ClusterRequest(verb, id, lines, ttlMicros, RefundData.NONE, Map.of(), NOTHING);
    }

    static ClusterRequest refund(List<StateCharge> lines, RefundData spent) {
        return new ClusterRequest(ClusterCommand.REFUND, "", lines, 0, spent, Map.of(), NOTHING);
    }

    static ClusterRequest refundReservation(String id, RefundData spent) {
        return new ClusterRequest(ClusterCommand.REFUND_RESERVATION, id, List.of(), 0, spent, Map.of(), NOTHING);
    }

    static ClusterRequest settle(String id, Map<String, Long> costs) {
        return new ClusterRequest(ClusterCommand.SETTLE, id, List.of(), 0, RefundData.NONE, costs, NOTHING);
    }

    static ClusterRequest change(byte[] change) {
        return new ClusterRequest(ClusterCommand.CHANGE_SETTINGS, "", List.of(), 0, RefundData.NONE, Map.of(), change);
    }

    /** Weight in a batch: the number of charges, at least one. */
    int weight() {
        return Math.max(1, lines.size());
    }

    /** @param policies the index of a policy in the batch */
    void write(BytesOut out, ToIntFunction<Policy> policies) {
        out.u8(verb.number());
        switch (verb) {
            case CONSUME, PEEK -> writeLines(out, policies);
            case REFUND -> {
                spent.write(out);
                writeLines(out, policies);
            }
            case RESERVE, ACQUIRE -> {
                out.text(id);
                out.number(ttlMicros);
                writeLines(out, policies);
            }
            case RESET -> {
                out.number(lines.size());
                lines.forEach(line -> out.text(line.key()));
            }
            case SETTLE -> {
                out.text(id);
                out.number(costs.size());
                costs.forEach((scope, cost) -> {
                    out.text(scope);
                    out.number(cost);
                });
            }
            case CANCEL, RELEASE -> out.text(id);
            case REFUND_RESERVATION -> {
                out.text(id);
                spent.write(out);
            }
            case PROLONG, RENEW -> {
                out.text(id);
                out.number(ttlMicros);
            }
            case CHANGE_SETTINGS -> out.bytes(change);
            case SWEEP -> out.number(ttlMicros);
        }
    }

    static ClusterRequest read(ClusterCommand verb, BytesIn in, List<PolicyModel> policies) {
        return switch (verb) {
            case CONSUME, PEEK -> of(verb, "", readLines(in, policies), 0);
            case REFUND -> {
                RefundData spent = RefundData.read(in);
                List<StateCharge> lines = readLines(in, policies);
                if (spent.resetAfter().size() != lines.size()) {
                    throw new MalformedException(spent.resetAfter().size() + " times for " + lines.size() + " charges");
                }
                yield refund(lines, spent);
            }
            case RESERVE, ACQUIRE -> {
                String id = in.text();
                long ttl = readTtl(in);
                yield of(verb, id, readLines(in, policies), ttl);
            }
            case RESET -> of(verb, "", readKeys(in), 0);
            case SETTLE -> settle(in.text(), readCosts(in));
            case CANCEL, RELEASE -> of(verb, in.text(), List.of(), 0);
            case REFUND_RESERVATION -> refundReservation(in.text(), RefundData.read(in));
            case PROLONG, RENEW -> of(verb, in.text(), List.of(), readTtl(in));
            case CHANGE_SETTINGS -> change(in.bytes());
            case SWEEP -> of(verb, "", List.of(), in.number());
        };
    }

    private void writeLines(BytesOut out, ToIntFunction<Policy> policies) {
        out.number(lines.size());
        for (int i = 0; i < lines.size(); i++) {
            StateCharge line = lines.get(i);
            out.number(policies.applyAsInt(line.model().policy()));
            out.number(line.cost());
            out.text(line.key());
        }
    }

    private static List<StateCharge> readLines(BytesIn in, List<PolicyModel> policies) {
        int count = in.count(3);
        if (count == 0) {
            throw new MalformedException("a question without charges");
        }
        if (count == 1) {
            return List.of(readLine(in, policies));
        }
        List<StateCharge> lines = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            lines.add(readLine(in, policies));
        }
        return lines;
    }

    private static StateCharge readLine(BytesIn in, List<PolicyModel> policies) {
        long policy = in.number();
        long cost = in.number();
        if (policy < 0 || policy >= policies.size()) {
            throw new MalformedException("a charge under policy " + policy + " of " + policies.size());
        }
        if (cost < 1) {
            throw new MalformedException("a charge of " + cost);
        }
        return new StateCharge(in.text(), policies.get((int) policy), cost);
    }

    private static long readTtl(BytesIn in) {
        long ttl = in.number();
        if (ttl < 0 || ttl > LONGEST_TTL_MICROS) {
            throw new MalformedException("a life of " + ttl + " microseconds");
        }
        return ttl;
    }

    private static List<StateCharge> readKeys(BytesIn in) {
        PolicyModel none = PolicyModel.local(Policy.closed());
        List<StateCharge> keys = new ArrayList<>();
        for (int i = in.count(1); i > 0; i--) {
            keys.add(new StateCharge(in.text(), none, 1));
        }
        return keys;
    }

    private static Map<String, Long> readCosts(BytesIn in) {
        Map<String, Long> costs = new LinkedHashMap<>();
        for (int i = in.count(2); i > 0; i--) {
            costs.put(in.text(), in.number());
        }
        return costs;
    }
}

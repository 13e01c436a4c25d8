package dev.weir.store.cluster;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.StoreArguments;
import dev.weir.StoreException;
import dev.weir.StoreStatistics;
import dev.weir.algorithm.PolicyModel;
import dev.weir.ledger.LedgerDecision;
import dev.weir.remote.Batcher;
import dev.weir.remote.BatcherOptions;
import dev.weir.remote.Promise;
import dev.weir.spi.ClusterMembership;
import dev.weir.spi.ClusterStatus;
import dev.weir.store.consensus.Consensus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A store whose nodes hold all budgets in memory and replicate them by consensus.
 *
 * <p><b>Guarantee.</b> The store never admits more than a policy allows, across all nodes and under any concurrency. No
 * acknowledged admission is lost while a majority of the nodes keeps its data. Each call is one command in one order
 * that all nodes agree on. The leader's clock supplies the time; it continues from leader to leader and never goes
 * back.
 *
 * <p><b>Failure.</b> On a node that is disconnected from the majority every call fails.
 *
 * <p><b>Cost.</b> Requests that arrive while calls are in flight form the next batch.
 *
 * <p>Safe for use by several threads.
 */
public final class ClusterStore implements Store, StoreStatistics, ClusterMembership {
    /**
     * Added to the cluster's timeout, so that the cluster's failure arrives with its reason before the caller times
     * out.
     */
    private static final Duration TRAVEL = Duration.ofMillis(50);

    private static final int MAX_IN_FLIGHT = 2;
    private static final int MAX_BATCH = 512;

    private final PolicyModels policyModels = new PolicyModels();
    private final Batcher<PendingCall, Object> batcher;
    private final Duration deadline;
    private final @Nullable ClusterNode node;
    private volatile boolean closed;

    /**
     * Creates a store on a replicated log.
     *
     * @param patience how long a request waits in the queue, and how long a batch waits for consensus
     * @param node the node that the store closes; null for none
     */
    ClusterStore(BatchSubmitter.ReplicatedLog log, Duration patience, @Nullable ClusterNode node) {
        this.batcher = new Batcher<>(
                new BatchSubmitter(log),
                ask -> ask.request().weight(),
                BatcherOptions.defaults()
                        .withMaxInFlight(MAX_IN_FLIGHT)
                        .withMaxBatch(MAX_BATCH)
                        .withLongestWait(patience));
        this.deadline = patience.plus(TRAVEL);
        this.node = node;
    }

    /** Whether this node is the leader now. Calls on the leader have the lowest latency. */
    public boolean leads() {
        return node != null && node.status().isLeader();
    }

    @Override
    public ClusterStatus status() {
        return node().clusterStatus();
    }

    @Override
    public void addMember(String member) {
        change(Consensus.MembershipChange.ADD, member);
    }

    @Override
    public void removeMember(String member) {
        change(Consensus.MembershipChange.REMOVE, member);
    }

    @Override
    public void transferLeadership(String member) {
        change(Consensus.MembershipChange.TRANSFER, member);
    }

    private void change(Consensus.MembershipChange change, String member) {
        checkOpen();
        if (!member.matches("[A-Za-z0-9._-]{1,255}(:[0-9]{1,5})?|\\[[0-9a-fA-F:.]+\\]:[0-9]{1,5}")) {
            throw new IllegalArgumentException("a member's name is HOST:PORT or node-N, not " + member);
        }
        try {
            Void unused = node().change(change, member).toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StoreException known) {
                throw known;
            }
            throw e;
        }
    }

    private ClusterNode node() {
        if (node == null) {
            throw new IllegalStateException("this store has no node");
        }
        return node;
    }

    PolicyModels policyModels() {
        return policyModels;
    }

    @Override
    public Answer<Decision> consume(List<Charge> charges) {
        checkOpen();
        StoreArguments.checkConsumed(charges);
        return decide(ClusterCommand.CONSUME, "", charges, 0);
    }

    @Override
    public Answer<Decision> peek(List<Charge> charges) {
        checkOpen();
        StoreArguments.checkCharges(charges);
        return decide(ClusterCommand.PEEK, "", charges, 0);
    }

    @Override
    public Answer<Boolean> refund(Decision decision) {
        checkOpen();
        LedgerDecision own = LedgerDecision.of(this, decision);
        if (!own.refundOnce()) {
            return Answer.of(false);
        }
        String reservation = own.reservation();
        List<StateCharge> lines = lines(own.charges());
        RefundData spent = RefundData.of(own.spent(lines));
        return ask(
                reservation == null
                        ? ClusterRequest.refund(lines, spent)
                        : ClusterRequest.refundReservation(reservation, spent));
    }

    @Override
    public Answer<Boolean> reset(List<Key> keys) {
        checkOpen();
        PolicyModel none = policyModels.of(Policy.closed());
        return ask(ClusterRequest.of(
                ClusterCommand.RESET,
                "",
                keys.stream().map(key -> new StateCharge(key.text(), none, 1)).toList(),
                0));
    }

    @Override
    public Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        checkOpen();
        StoreArguments.checkId(id);
        StoreArguments.checkConsumed(charges);
        return decide(ClusterCommand.RESERVE, id, charges, StoreArguments.ttlMicros(ttl));
    }

    @Override
    public Answer<Settlement> settle(String id, Map<String, Long> costs) {
        checkOpen();
        StoreArguments.checkCosts(costs);
        Map<String, Long> actual = new LinkedHashMap<>();
        costs.forEach((scope, cost) -> actual.put(Key.of(scope).text(), cost));
        return ask(ClusterRequest.settle(id, actual));
    }

    @Override
    public Answer<Settlement> cancel(String id) {
        return ask(ClusterRequest.of(ClusterCommand.CANCEL, id, List.of(), 0));
    }

    @Override
    public Answer<Boolean> prolong(String id, Duration ttl) {
        checkOpen();
        return ask(ClusterRequest.of(ClusterCommand.PROLONG, id, List.of(), StoreArguments.ttlMicros(ttl)));
    }

    @Override
    public Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        checkOpen();
        StoreArguments.checkId(id);
        StoreArguments.checkCharges(charges);
        return decide(ClusterCommand.ACQUIRE, id, charges, StoreArguments.ttlMicros(ttl));
    }

    @Override
    public Answer<Boolean> renew(String id, Duration ttl) {
        checkOpen();
        return ask(ClusterRequest.of(ClusterCommand.RENEW, id, List.of(), StoreArguments.ttlMicros(ttl)));
    }

    @Override
    public Answer<Boolean> release(String id) {
        return ask(ClusterRequest.of(ClusterCommand.RELEASE, id, List.of(), 0));
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            batcher.close();
            if (node != null) {
                node.close();
            }
        }
    }

    @Override
    public Duration deadline() {
        return deadline;
    }

    @Override
    public long entries() {
        return counts().entries();
    }

    @Override
    public long sweeps() {
        return counts().sweeps();
    }

    @Override
    public long swept() {
        return counts().swept();
    }

    private ClusterNode.BudgetCounts counts() {
        return node == null ? ClusterNode.BudgetCounts.NONE : node.counts();
    }

    /** Submits a command. */
    <T> Answer<T> ask(ClusterRequest request) {
        return ask(request, List.of());
    }

    /** Checks this many budgets and evicts those that are full. */
    Answer<Boolean> sweep(int count) {
        return ask(ClusterRequest.of(ClusterCommand.SWEEP, "", List.of(), count));
    }

    private Answer<Decision> decide(ClusterCommand verb, String id, List<Charge> charges, long ttlMicros) {
        List<Charge> own = List.copyOf(charges);
        return ask(ClusterRequest.of(verb, id, lines(own), ttlMicros), own);
    }

    private <T> Answer<T> ask(ClusterRequest request, List<Charge> charges) {
        checkOpen();
        return batcher.ask(new PendingCall(this, request, charges), Promise::ofResult);
    }

    private List<StateCharge> lines(List<Charge> charges) {
        if (charges.size() == 1) {
            return List.of(line(charges.get(0)));
        }
        List<StateCharge> lines = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            lines.add(line(charge));
        }
        return lines;
    }

    private StateCharge line(Charge charge) {
        return new StateCharge(charge.key().text(), policyModels.of(charge.policy()), charge.cost());
    }

    private void checkOpen() {
        StoreArguments.checkOpen(closed);
    }
}

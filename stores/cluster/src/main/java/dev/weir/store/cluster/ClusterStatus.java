package dev.weir.store.cluster;

import dev.weir.store.consensus.NodeStatus;
import java.util.List;
import java.util.Optional;

/**
 * The state of a node at one moment, and of the cluster as far as the node knows it.
 *
 * @param node the name of this node
 * @param leader the name of the leader, if there is one
 * @param term the number of the election that the leader won
 * @param applied the index of the last log entry that this node has applied
 * @param lag how many committed entries this node had still to apply when it last asked the leader
 * @param snapshot the index of the last entry in this node's latest snapshot; 0 for no snapshot
 * @param members the names of all members, sorted
 * @param ready whether this node serves
 * @param problem why it does not, if it does not
 */
public record ClusterStatus(
        String node,
        Optional<String> leader,
        long term,
        long applied,
        long lag,
        long snapshot,
        List<String> members,
        boolean ready,
        Optional<String> problem) {

    static ClusterStatus of(NodeStatus status) {
        return new ClusterStatus(
                status.node(),
                Optional.ofNullable(status.leader()),
                status.term(),
                status.applied(),
                Math.max(0, status.committed() - status.applied()),
                status.snapshot(),
                status.members(),
                status.isReady(),
                Optional.ofNullable(status.problem()));
    }
}

package dev.weir.store.consensus;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a node at one moment.
 *
 * @param node the name of this node
 * @param leader the name of the leader as far as this node knows; null for none
 * @param term the current term
 * @param applied the index of the last entry that this node has applied
 * @param committed the commit index of the leader when this node last read it; 0 before
 * @param snapshot the index of the last entry in this node's latest snapshot; 0 for no snapshot
 * @param members the names of the voting members as far as this node knows
 * @param isReady whether it follows a leader and has applied everything that was committed when it began to follow
 * @param problem why it is not ready; null if it is
 */
public record NodeStatus(
        String node,
        @Nullable String leader,
        long term,
        long applied,
        long committed,
        long snapshot,
        List<String> members,
        boolean isReady,
        @Nullable String problem) {

    public boolean isLeader() {
        return node.equals(leader);
    }
}

package dev.weir.store.consensus;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a node at one moment.
 *
 * @param node the name of this node
 * @param leader the name of the leader as far as this node knows; null for none
 * @param term the current term
 * @param applied the index of the last entry that this node has applied
 * @param committed the largest commit index that this node knows
 * @param snapshot the index of the last entry in this node's latest snapshot; 0 for no snapshot
 * @param snapshotMillis when that was written or received, by this machine's wall clock
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
        long snapshotMillis,
        List<String> members,
        boolean isReady,
        @Nullable String problem) {

    public boolean isLeader() {
        return node.equals(leader);
    }

    byte[] encode() {
        BytesOut out = new BytesOut();
        out.text(node);
        out.text(leader == null ? "" : leader);
        out.number(term);
        out.number(applied);
        out.number(committed);
        out.number(snapshot);
        out.number(snapshotMillis);
        out.number(members.size());
        members.forEach(out::text);
        out.flag(isReady);
        out.text(problem == null ? "" : problem);
        return out.toBytes();
    }

    /** @throws BytesIn.MalformedException if these are not the bytes of a status */
    static NodeStatus decode(byte[] bytes) {
        BytesIn in = new BytesIn(bytes);
        String node = in.text();
        String leader = in.text();
        long term = in.number();
        long applied = in.number();
        long committed = in.number();
        long snapshot = in.number();
        long snapshotMillis = in.number();
        List<String> members = new ArrayList<>();
        for (int i = in.count(1); i > 0; i--) {
            members.add(in.text());
        }
        boolean isReady = in.flag();
        String problem = in.text();
        in.end();
        return new NodeStatus(
                node,
                leader.isEmpty() ? null : leader,
                term,
                applied,
                committed,
                snapshot,
                snapshotMillis,
                members,
                isReady,
                problem.isEmpty() ? null : problem);
    }
}

package dev.weir.spi;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a cluster as one of its nodes sees it.
 *
 * @param name the cluster's name
 * @param node the name of the node that reports
 * @param leader the name of the leader; null if this node knows none
 * @param term the number of the latest election that this node knows
 * @param ready whether this node serves
 * @param problem why it does not; null if it does
 * @param members all members, sorted by name
 */
public record ClusterStatus(
        String name,
        String node,
        @Nullable String leader,
        long term,
        boolean ready,
        @Nullable String problem,
        List<Member> members) {

    public ClusterStatus {
        members = List.copyOf(members);
    }

    /**
     * One member.
     *
     * @param state what it reports of itself; null if it does not answer
     */
    public record Member(String name, @Nullable State state) {}

    /**
     * The state of one member.
     *
     * @param ready whether it serves
     * @param problem why it does not; null if it does
     * @param term the number of the latest election that it knows
     * @param applied the index of the last log entry that it has applied
     * @param lag how many committed entries it has still to apply
     * @param snapshot its latest snapshot; null for none
     */
    public record State(
            boolean ready,
            @Nullable String problem,
            long term,
            long applied,
            long lag,
            @Nullable Snapshot snapshot) {}

    /**
     * A snapshot of a member's state.
     *
     * @param index the index of the last log entry in it
     * @param at when it was written or received, by the wall clock of its machine
     */
    public record Snapshot(long index, Instant at) {}
}

package dev.weir.store.raft;

import org.jspecify.annotations.Nullable;

/**
 * What a node is like at a moment.
 *
 * @param leader who leads, as far as it knows; -1 for nobody
 * @param commit up to where it has applied what was agreed upon
 * @param isReady whether it takes part, follows a leader, and has all that this leader had agreed upon
 * @param isTrusted whether it remembers all that it ever promised
 * @param problem why it is not ready, for people; null if it is
 */
public record NodeStatus(
        boolean isLeader,
        int leader,
        long term,
        long commit,
        boolean isReady,
        boolean isTrusted,
        @Nullable String problem) {}

package dev.weir.spi;

/**
 * A store whose nodes form a cluster: reports the state of all members, and changes them while the cluster runs. Every
 * node accepts every call; the leader executes it. The methods block. Safe for use by several threads.
 */
public interface ClusterMembership {

    /** Asks every member for its state, for a second at most. */
    ClusterStatus status();

    /**
     * Adds a member, which has to run already. Returns after it has caught up and counts.
     *
     * @param member its name: HOST:PORT as in the list of its URI, or {@code node-N}
     * @throws IllegalArgumentException if this is no name of a member
     * @throws dev.weir.StoreException if the cluster did not do it; the message has the reason, and {@code retryable}
     *     is true if the same call may succeed later
     */
    void addMember(String member);

    /**
     * Removes a member. It no longer counts when this returns; stop it afterwards.
     *
     * @throws IllegalArgumentException if this is no name of a member
     * @throws dev.weir.StoreException if the cluster did not do it
     */
    void removeMember(String member);

    /**
     * Transfers leadership to a member. Returns when the leader has begun; {@link #status} shows the new leader.
     *
     * @throws IllegalArgumentException if this is no name of a member
     * @throws dev.weir.StoreException if the leader did not accept
     */
    void transferLeadership(String member);
}

package dev.weir.store.raft;

/**
 * When a node lets a snapshot stand for its log.
 *
 * <p>A node that makes a large one does nothing else meanwhile, for seconds with a million keys. So it is never the leader
 * that does, who hands over first, and never two at once: each has its turn by the cluster's own time, which is the same
 * everywhere. A log that has grown far too long is cut whoever's turn it is: memory is bounded.
 *
 * @param leastLogBytes a log is let grow to this, and to four times the last snapshot
 * @param smallBytes a snapshot up to this is made at once, in less time than anybody notices
 * @param turnMicros how long a turn is
 */
record SnapshotRule(long leastLogBytes, long smallBytes, long turnMicros) {
    private static final int LOG_PER_SNAPSHOT = 4;
    private static final int FAR_TOO_LONG = 3;

    static final SnapshotRule DEFAULTS = new SnapshotRule(16L << 20, 1L << 20, 10_000_000);

    /** What a node is to do. */
    enum Advice {
        NOTHING,
        MAKE_ONE,
        HAND_OVER
    }

    /** @param micros the cluster's time */
    Advice advice(long logBytes, long snapshotBytes, long micros, int self, int size, boolean leads) {
        long most = Math.max(leastLogBytes, LOG_PER_SNAPSHOT * snapshotBytes);
        if (logBytes <= most) {
            return Advice.NOTHING;
        }
        if (size == 1 || snapshotBytes <= smallBytes || logBytes > FAR_TOO_LONG * most) {
            return Advice.MAKE_ONE;
        }
        if (micros / turnMicros % size != self) {
            return Advice.NOTHING;
        }
        return leads ? Advice.HAND_OVER : Advice.MAKE_ONE;
    }
}

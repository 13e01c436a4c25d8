package dev.weir.store.raft;

import dev.weir.store.raft.Message.Append;
import dev.weir.store.raft.Message.Hello;

/**
 * Whether a node may trust itself: whether it remembers every vote it gave and every entry it said it had.
 *
 * <p>One whose directory is empty may be new, or may have lost everything; one whose machine crashed may have lost the
 * end. Such a node neither votes nor counts. It becomes trusted in one of two ways:
 *
 * <ul>
 *   <li>It <em>recovers</em>: from its first contact with a leader on, it takes what it is sent, until it has everything
 *       that the leader had at that contact, and the leader has since been confirmed by a majority of nodes that count.
 *       Whatever was agreed upon before then is in that leader's log, and so in this one's.
 *   <li>It <em>founds</em> a cluster, or starts one again that had stopped altogether, with others that do not trust
 *       themselves either: when so many of them are seen that no majority can know more. When some are missing it waits
 *       for a while, then goes on with a majority.
 * </ul>
 */
final class Recovery {
    private final int self;
    private final int size;
    private final Journal journal;
    private final long startedAt;
    private final long graceNanos;
    private final long freshNanos;
    private final long electionNanos;

    private final Seen[] seen;
    private long leaderTerm = -1;
    private long leaderLast;
    private long leaderRound;
    private long leaderConfirmed;
    private long leaderCommit;

    private record Seen(long at, boolean hasData, boolean isTrusted) {}

    Recovery(int self, int size, Journal journal, Timing timing, long now) {
        this.self = self;
        this.size = size;
        this.journal = journal;
        this.startedAt = now;
        this.graceNanos = timing.grace().toNanos();
        this.freshNanos = 4 * timing.heartbeat().toNanos() + timing.election().toNanos();
        this.electionNanos = timing.election().toNanos();
        this.seen = new Seen[size];
    }

    void heard(int from, Hello hello, long now) {
        seen[from] = new Seen(now, hello.hasData(), hello.isTrusted());
    }

    void heardLeader(Append m) {
        if (m.term() != leaderTerm) {
            leaderTerm = m.term();
            leaderLast = m.last();
            leaderRound = m.round();
        }
        leaderConfirmed = m.confirmed();
        leaderCommit = m.commit();
    }

    /** Up to where the leader had agreed when it was last heard. */
    long leaderCommit() {
        return leaderCommit;
    }

    /** Whether a node that does not trust itself has learned everything that there is to know. */
    boolean isRecovered(long commit, long now) {
        // Longer than any candidacy lasts: whoever had this node's forgotten vote has won with it or given up.
        boolean isLongEnough = now - startedAt > 2 * electionNanos;
        return !journal.isTrusted()
                && isLongEnough
                && leaderTerm == journal.term()
                && commit >= leaderLast
                && leaderConfirmed > leaderRound;
    }

    /** Whether a node that does not trust itself may begin with others of its kind. */
    boolean mayFound(long now) {
        int alike = 0;
        int present = 0;
        for (int i = 0; i < size; i++) {
            Seen other = seen[i];
            if (i == self || other == null || now - other.at > freshNanos) {
                continue;
            }
            present++;
            boolean isAlike = journal.hasData() ? !other.isTrusted : !other.hasData;
            alike += isAlike ? 1 : 0;
        }
        int majority = size / 2 + 1;
        int certain = journal.hasData() ? size - 1 : size - majority + 1;
        boolean hasWaited = now - startedAt > graceNanos;
        return size == 1 || alike >= certain || (hasWaited && alike == present && alike >= majority - 1);
    }
}

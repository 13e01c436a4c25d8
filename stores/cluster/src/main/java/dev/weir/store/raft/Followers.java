package dev.weir.store.raft;

import dev.weir.store.raft.Message.Append;
import dev.weir.store.raft.Message.Appended;
import dev.weir.store.raft.Message.Install;
import dev.weir.store.raft.Message.Installed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a leader sends to the others, and what it knows of them.
 *
 * <p>Entries are sent before the last ones are answered, up to a bound, once a follower's log is known to fit; until then
 * one message at a time looks for the place where it does. A follower that is too far behind gets a snapshot in pieces.
 */
final class Followers {
    private static final int MOST_BYTES_TOGETHER = 1 << 20;
    private static final int MOST_AHEAD = 256;
    private static final int MOST_ON_TRIAL = 64;
    private static final int PIECE = 1 << 18;

    private final int self;
    private final Journal journal;
    private final Raft.Outbox outbox;
    private final LogClock clock;
    private final long electionNanos;
    private final Peer[] peers;
    /** Counts this node's signs of life. */
    private long round;
    /** The latest round that a majority has answered. */
    private long confirmed;

    Followers(int self, int size, Journal journal, Raft.Outbox outbox, LogClock clock, long electionNanos) {
        this.self = self;
        this.journal = journal;
        this.outbox = outbox;
        this.clock = clock;
        this.electionNanos = electionNanos;
        this.peers = new Peer[size];
        Arrays.setAll(peers, Peer::new);
    }

    /** This node begins to lead. */
    void begin(long now) {
        round++;
        confirmed = 0;
        for (Peer peer : peers) {
            peer.begin(journal.lastIndex(), now);
        }
    }

    /** Whether a majority of those that count, this node among them, has answered of late. */
    boolean isMajorityThere(long now) {
        int count = 0;
        for (Peer peer : peers) {
            count += peer.id == self || (peer.isTrusted && now - peer.answeredAt < electionNanos) ? 1 : 0;
        }
        return count >= majority();
    }

    /** Gives everybody a sign of life, with what they lack. */
    void signOfLife(long commit, long now) {
        round++;
        for (Peer peer : peers) {
            if (peer.id != self) {
                if (peer.fits && peer.next - 1 > peer.match && now - peer.progressAt > electionNanos) {
                    peer.rewind();
                }
                send(peer, true, commit, now);
            }
        }
    }

    /** Sends everybody what they lack. */
    void sendAll(long commit, long now) {
        for (Peer peer : peers) {
            if (peer.id != self) {
                send(peer, false, commit, now);
            }
        }
    }

    void disconnected(int peer) {
        peers[peer].rewind();
    }

    /** Who is to follow this leader: whoever was chosen before, while it is fit, or else who is fittest; null for nobody. */
    @Nullable
    Peer successor(int chosen, long now) {
        Peer best = null;
        for (Peer peer : peers) {
            boolean isFit = peer.id != self && peer.isTrusted && now - peer.answeredAt < electionNanos;
            if (isFit && peer.id == chosen) {
                return peer;
            }
            if (isFit && (best == null || peer.match > best.match)) {
                best = peer;
            }
        }
        return best;
    }

    /** Notes an answer; answers whether more may be agreed upon now. */
    boolean answered(int from, Appended m, long now) {
        Peer peer = heard(from, m.round(), m.isTrusted(), now);
        if (!m.ok()) {
            return false;
        }
        if (peer.transfer != null && m.index() >= peer.transfer.index) {
            peer.transfer = null;
        }
        if (m.index() > peer.match) {
            peer.match = Math.min(m.index(), journal.lastIndex());
            peer.progressAt = now;
        }
        peer.next = Math.max(peer.next, peer.match + 1);
        peer.fits = true;
        return true;
    }

    /** Sends a follower what it lacks, now that it has answered. */
    void goOn(int from, Appended m, long commit, long now) {
        Peer peer = peers[from];
        if (m.ok()) {
            send(peer, false, commit, now);
            return;
        }
        if (!m.isTrusted()) {
            // It has forgotten what it had.
            peer.match = Math.min(peer.match, m.index());
        }
        if (m.index() + 1 < peer.next) {
            peer.next = Math.max(peer.match, m.index()) + 1;
            peer.fits = false;
            send(peer, true, commit, now);
        }
    }

    /** Sends the next piece of a snapshot, now that one has come. */
    void installed(int from, Installed m, long now) {
        Peer peer = heard(from, m.round(), m.isTrusted(), now);
        Peer.Transfer transfer = peer.transfer;
        if (transfer != null && transfer.index == m.index() && m.offset() <= transfer.bytes.length) {
            boolean isNews = m.offset() != transfer.offset;
            transfer.offset = (int) m.offset();
            if (isNews) {
                sendPiece(peer, transfer);
            }
        }
    }

    /** Up to where a majority of those that count has the log; notes also which round it has answered. */
    long agreed() {
        long[] matches = new long[peers.length];
        long[] rounds = new long[peers.length];
        for (Peer peer : peers) {
            boolean isSelf = peer.id == self;
            matches[peer.id] = isSelf ? journal.lastIndex() : peer.isTrusted ? peer.match : 0;
            rounds[peer.id] = isSelf ? round : peer.isTrusted ? peer.round : 0;
        }
        Arrays.sort(matches);
        Arrays.sort(rounds);
        confirmed = rounds[peers.length - majority()];
        return matches[peers.length - majority()];
    }

    /** Sends one follower what it lacks. */
    void send(Peer peer, boolean evenIfNothing, long commit, long now) {
        if (peer.next < journal.first()) {
            sendSnapshot(peer, evenIfNothing);
            return;
        }
        peer.transfer = null;
        if (!evenIfNothing && !hasMoreFor(peer)) {
            return;
        }
        do {
            long prev = peer.next - 1;
            boolean isThere = now - peer.answeredAt < electionNanos;
            List<Entry> entries = isThere && isNotTooFarAhead(peer) ? nextFor(peer) : List.of();
            outbox.send(
                    peer.id,
                    new Append(
                            journal.term(),
                            prev,
                            journal.termAt(prev),
                            commit,
                            journal.lastIndex(),
                            clock.micros(),
                            round,
                            confirmed,
                            entries));
            if (entries.isEmpty()) {
                return;
            }
            peer.next += peer.fits ? entries.size() : 0;
        } while (hasMoreFor(peer));
    }

    private boolean hasMoreFor(Peer peer) {
        return peer.fits && isNotTooFarAhead(peer) && peer.next <= journal.lastIndex();
    }

    private static boolean isNotTooFarAhead(Peer peer) {
        return !peer.fits || peer.next - 1 - peer.match < MOST_AHEAD;
    }

    private List<Entry> nextFor(Peer peer) {
        List<Entry> entries = new ArrayList<>();
        int bytes = 0;
        long end = peer.fits ? journal.lastIndex() : Math.min(journal.lastIndex(), peer.next - 1 + MOST_ON_TRIAL);
        for (long i = peer.next; i <= end && bytes < MOST_BYTES_TOGETHER; i++) {
            Entry entry = journal.entry(i);
            entries.add(entry);
            bytes += entry.size();
        }
        return entries;
    }

    private void sendSnapshot(Peer peer, boolean again) {
        Peer.Transfer transfer = peer.transfer;
        if (transfer != null && !again) {
            return;
        }
        if (transfer == null) {
            byte[] snapshot = journal.snapshot();
            if (snapshot == null) {
                return;
            }
            transfer = new Peer.Transfer(
                    journal.snapshotIndex(), journal.snapshotTerm(), journal.snapshotMicros(), snapshot);
            peer.transfer = transfer;
        }
        sendPiece(peer, transfer);
    }

    private void sendPiece(Peer peer, Peer.Transfer transfer) {
        int end = Math.min(transfer.bytes.length, transfer.offset + PIECE);
        outbox.send(
                peer.id,
                new Install(
                        journal.term(),
                        transfer.index,
                        transfer.indexTerm,
                        transfer.indexMicros,
                        clock.micros(),
                        round,
                        transfer.offset,
                        transfer.bytes.length,
                        Arrays.copyOfRange(transfer.bytes, transfer.offset, end)));
    }

    private Peer heard(int from, long answeredRound, boolean isTrusted, long now) {
        Peer peer = peers[from];
        peer.answeredAt = now;
        peer.isTrusted = isTrusted;
        peer.round = Math.max(peer.round, answeredRound);
        return peer;
    }

    private int majority() {
        return peers.length / 2 + 1;
    }
}

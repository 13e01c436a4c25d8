package dev.weir.store.raft;

import dev.weir.store.raft.Message.Append;
import dev.weir.store.raft.Message.Appended;
import dev.weir.store.raft.Message.Hello;
import dev.weir.store.raft.Message.Install;
import dev.weir.store.raft.Message.Installed;
import dev.weir.store.raft.Message.TakeOver;
import dev.weir.store.raft.Message.Vote;
import dev.weir.store.raft.Message.VoteRequest;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One node's part in the Raft consensus protocol (Ongaro, Ousterhout 2014): which entries are agreed upon, in which order.
 *
 * <p>Pure in the sense that matters: it does what it is told when it is told, by the time that it is given, and sends
 * messages through {@link Outbox}. So a test can be the network, the clock and the fate of thousands of clusters. Not
 * safe for use by several threads.
 *
 * <p>Implementation notes. Beyond the paper's core it has trial votes (a node that was cut off does not disturb those
 * that were not), a leader that stops when a majority is silent, entries that are sent before the last are answered, and
 * {@linkplain Recovery trust}: a node that may have forgotten what it promised counts for nothing until it has learned
 * everything from a leader that a majority of others follows. A leader counts only entries of its own term (§5.4.2),
 * and begins with an empty one so that those before it are soon agreed upon.
 */
final class Raft {
    static final int NOBODY = Journal.NOBODY;

    private final int self;
    private final int size;
    private final Journal journal;
    private final Machine machine;
    private final Outbox outbox;
    private final LogClock clock;
    private final RandomGenerator random;
    private final long heartbeatNanos;
    private final long electionNanos;
    private final Recovery recovery;
    private final Followers followers;
    private final SnapshotRule snapshots;

    private Role role = Role.FOLLOWER;
    private int leader = NOBODY;
    private long commit;
    private long now;
    private long electionAt;
    private long heardAt;
    private long heartbeatAt;
    private boolean suspectsLeader;
    /** Whether this leader is about to leave, and until when it waits for its heir. */
    private long leavingUntil;
    /** Whom a leader that is about to leave has chosen: two who are told to take over would split the votes. */
    private int heir = NOBODY;

    /** The latest candidacy of this node. */
    private @Nullable Ballot ballot;

    private long snapshotBytes;
    private @Nullable IncomingSnapshot incoming;

    enum Role {
        FOLLOWER,
        CANDIDATE,
        LEADER
    }

    /** Where messages go. */
    interface Outbox {
        void send(int to, Message message);
    }

    /** What entries are applied to. */
    public interface Machine {
        /** Applies an entry that is agreed upon; the same entries in the same order everywhere. */
        void apply(Entry entry);

        /** All of its state. */
        byte[] snapshot();

        /** Begins anew from a state. */
        void restore(byte[] snapshot);
    }

    Raft(
            int self,
            int size,
            Journal journal,
            Machine machine,
            Outbox outbox,
            LogClock clock,
            Timing timing,
            SnapshotRule snapshots,
            RandomGenerator random,
            long now) {
        this.self = self;
        this.size = size;
        this.journal = journal;
        this.machine = machine;
        this.outbox = outbox;
        this.clock = clock;
        this.snapshots = snapshots;
        this.random = random;
        this.heartbeatNanos = timing.heartbeat().toNanos();
        this.electionNanos = timing.election().toNanos();
        this.recovery = new Recovery(self, size, journal, timing, now);
        this.now = now;
        this.followers = new Followers(self, size, journal, outbox, clock, electionNanos);
        byte[] snapshot = journal.snapshot();
        if (snapshot != null) {
            machine.restore(snapshot);
            snapshotBytes = snapshot.length;
        }
        this.commit = journal.snapshotIndex();
        this.heardAt = now - 2 * electionNanos;
        awaitElection();
    }

    int leader() {
        return leader;
    }

    boolean isLeader() {
        return role == Role.LEADER;
    }

    /** Whether this leader takes entries, which one that is about to leave does not. */
    boolean takesEntries() {
        return role == Role.LEADER && leavingUntil == 0;
    }

    long term() {
        return journal.term();
    }

    long commit() {
        return commit;
    }

    boolean isTrusted() {
        return journal.isTrusted();
    }

    /** Whether this node follows a leader, or leads, and has all that was agreed upon when it last heard. */
    boolean isCurrent() {
        return isLeader() || (leader != NOBODY && isTrusted() && commit >= recovery.leaderCommit());
    }

    /** Lets time pass: call it several times a heartbeat. */
    void tick(long newNow) {
        if (newNow - now > electionNanos / 2) {
            // This node slept, or wrote a snapshot: nobody was silent meanwhile but itself.
            electionAt += newNow - now;
        }
        now = newNow;
        mindTheLog();
        if (role == Role.LEADER) {
            tickLeader();
        } else if (!journal.isTrusted()) {
            tickUntrusted();
        } else if (now - electionAt >= 0) {
            stand(true);
        }
        if (role != Role.LEADER && leader != NOBODY && now - heardAt > 2 * electionNanos) {
            leader = NOBODY;
        }
    }

    void receive(int from, Message message, long newNow) {
        now = newNow;
        if (message instanceof Append m) {
            onAppend(from, m);
        } else if (message instanceof Appended m) {
            onAppended(from, m);
        } else if (message instanceof VoteRequest m) {
            onVoteRequest(from, m);
        } else if (message instanceof Vote m) {
            onVote(from, m);
        } else if (message instanceof Install m) {
            onInstall(from, m);
        } else if (message instanceof Installed m) {
            onInstalled(from, m);
        } else if (message instanceof TakeOver m) {
            if (m.term() == journal.term() && from == leader && journal.isTrusted()) {
                stand(false);
            }
        } else if (message instanceof Hello m) {
            onHello(from, m);
        }
    }

    /** The connection to a node broke: if it led, it may be dead. */
    void disconnected(int peer, long newNow) {
        now = newNow;
        if (role == Role.LEADER) {
            followers.disconnected(peer);
            heir = peer == heir ? NOBODY : heir;
        } else if (peer == leader) {
            suspectsLeader = true;
            long soon = now + heartbeatNanos / 4 + random.nextLong(heartbeatNanos);
            electionAt = electionAt - soon < 0 ? electionAt : soon;
        }
    }

    /** Puts an entry into the log, if this node leads; answers its index, or -1. */
    long propose(byte[] body, boolean durable, long newNow) {
        now = newNow;
        if (!takesEntries()) {
            return -1;
        }
        Entry entry = newEntry(body, durable);
        append(List.of(entry));
        return entry.index();
    }

    /** Sends what was proposed since. */
    void flush() {
        if (role == Role.LEADER) {
            followers.sendAll(commit, now);
            agree();
        }
    }

    /** Stops leading in favour of the most advanced follower; false if there is nobody, or this node does not lead. */
    boolean leave(long newNow) {
        now = newNow;
        if (role != Role.LEADER) {
            return false;
        }
        Peer next = followers.successor(heir, now);
        if (next == null) {
            return false;
        }
        heir = next.id;
        if (leavingUntil == 0) {
            leavingUntil = now + electionNanos;
        }
        followers.send(next, false, commit, now);
        if (next.match == journal.lastIndex()) {
            outbox.send(next.id, new TakeOver(journal.term()));
        }
        return true;
    }

    // ---- time ---------------------------------------------------------------------------------------------------

    private void tickLeader() {
        if (!followers.isMajorityThere(now)) {
            follow(journal.term(), NOBODY);
            return;
        }
        if (leavingUntil != 0 && now - leavingUntil > 0) {
            leavingUntil = 0;
            heir = NOBODY;
        }
        if (now - heartbeatAt >= 0) {
            heartbeatAt = now + heartbeatNanos;
            followers.signOfLife(commit, now);
            agree();
        }
    }

    private void tickUntrusted() {
        if (now - heartbeatAt >= 0) {
            heartbeatAt = now + heartbeatNanos;
            toOthers(hello(true));
            if (recovery.mayFound(now)) {
                journal.trust(true);
                electionAt = now + random.nextLong(heartbeatNanos);
            }
        }
    }

    private void awaitElection() {
        electionAt = now + electionNanos + random.nextLong(electionNanos);
    }

    // ---- elections ----------------------------------------------------------------------------------------------

    private void stand(boolean trial) {
        role = Role.CANDIDATE;
        leader = NOBODY;
        awaitElection();
        long wanted = journal.term() + 1;
        Ballot own = new Ballot(self, size, wanted, trial, clock.micros());
        ballot = own;
        if (!trial) {
            journal.vote(wanted, self);
        }
        toOthers(new VoteRequest(wanted, trial, journal.lastIndex(), journal.lastTerm()));
        count(own);
    }

    private void onVoteRequest(int from, VoteRequest m) {
        boolean isUpToDate = m.lastTerm() > journal.lastTerm()
                || (m.lastTerm() == journal.lastTerm() && m.lastIndex() >= journal.lastIndex());
        boolean granted;
        if (m.isTrial()) {
            boolean hasLeader =
                    role == Role.LEADER || (leader != NOBODY && !suspectsLeader && now - heardAt < electionNanos);
            granted = journal.isTrusted() && m.term() > journal.term() && isUpToDate && !hasLeader;
        } else {
            if (m.term() > journal.term()) {
                follow(m.term(), NOBODY);
            }
            granted = journal.isTrusted()
                    && m.term() == journal.term()
                    && (journal.vote() == NOBODY || journal.vote() == from)
                    && isUpToDate
                    && role != Role.LEADER;
            if (granted) {
                journal.vote(m.term(), from);
                awaitElection();
            }
        }
        outbox.send(from, new Vote(journal.term(), m.term(), m.isTrial(), granted, clock.micros()));
    }

    private void onVote(int from, Vote m) {
        if (m.term() > journal.term()) {
            follow(m.term(), NOBODY);
            return;
        }
        Ballot own = ballot;
        // A candidacy ends with its time: a voter that lost its memory meanwhile must not be counted twice.
        boolean isOver = now - electionAt >= 0;
        if (role != Role.CANDIDATE || own == null || isOver || !own.asked(m)) {
            return;
        }
        own.cast(from, m);
        count(own);
        if (role == Role.CANDIDATE && !own.isTrial() && own.isLost()) {
            // Most likely several stood at once. Waiting out a whole election would leave everybody waiting.
            electionAt = now + heartbeatNanos / 4 + random.nextLong(2 * heartbeatNanos);
        }
    }

    private void count(Ballot own) {
        if (own.isWon()) {
            if (own.isTrial()) {
                stand(false);
            } else {
                lead(own.latestMicros());
            }
        }
    }

    private void lead(long latestKnown) {
        role = Role.LEADER;
        leader = self;
        suspectsLeader = false;
        leavingUntil = 0;
        heir = NOBODY;
        heartbeatAt = now;
        followers.begin(now);
        clock.set(Math.max(latestKnown >= 0 ? latestKnown : timeWithoutWitness(), journal.lastMicros()));
        append(List.of(newEntry(new byte[0], false)));
        tickLeader();
    }

    /**
     * The time if nobody who voted has heard it since it began: what has passed since the end of the log by this node's
     * own wall clock, whatever that shows, less a millisecond for rounding; for a new cluster, what it shows.
     */
    private long timeWithoutWitness() {
        long wall = clock.wallMillis();
        return journal.hasData()
                ? journal.lastMicros() + 1_000 * Math.max(0, wall - 1 - journal.ownWallMillis())
                : wall * 1_000;
    }

    /** Ends whatever this node was, in a term that is not lower than its own. */
    private void follow(long term, int newLeader) {
        if (term > journal.term()) {
            journal.vote(term, NOBODY);
        }
        if (role != Role.FOLLOWER || newLeader != leader) {
            suspectsLeader = false;
            incoming = null;
        }
        role = Role.FOLLOWER;
        leader = newLeader;
        leavingUntil = 0;
        awaitElection();
    }

    // ---- entries ------------------------------------------------------------------------------------------------

    private void append(List<Entry> entries) {
        journal.append(entries);
        journal.ownWallMillis(clock.wallMillis());
    }

    private Entry newEntry(byte[] body, boolean durable) {
        long micros = Math.max(clock.micros(), journal.lastMicros());
        return new Entry(journal.lastIndex() + 1, journal.term(), micros, clock.wallMillis(), durable, body);
    }

    private void onAppend(int from, Append m) {
        if (m.term() < journal.term()) {
            outbox.send(from, new Appended(journal.term(), false, journal.lastIndex(), 0, isTrusted()));
            return;
        }
        if (!m.isOrderly()) {
            return;
        }
        hearLeader(from, m.term(), m.micros());
        recovery.heardLeader(m);
        long match = m.prevIndex() + m.entries().size();
        boolean fits;
        if (m.prevIndex() < commit) {
            // What is agreed upon is the same in both logs; only what follows it is news.
            fits = true;
            match = Math.max(match, commit);
        } else {
            fits = journal.termAt(m.prevIndex()) == m.prevTerm();
        }
        if (fits) {
            accept(m.entries());
            commitTo(Math.min(m.commit(), match));
        }
        if (recovery.isRecovered(commit, now)) {
            journal.vote(m.term(), from);
            journal.trust(true);
        }
        long index = fits ? match : journal.placeToTry(m.prevIndex(), commit);
        outbox.send(from, new Appended(journal.term(), fits, index, m.round(), isTrusted()));
    }

    private void accept(List<Entry> entries) {
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (entry.index() <= commit) {
                continue;
            }
            if (entry.index() <= journal.lastIndex()) {
                if (journal.termAt(entry.index()) == entry.term()) {
                    continue;
                }
                journal.truncate(entry.index());
            }
            append(entries.subList(i, entries.size()));
            return;
        }
    }

    private void hearLeader(int from, long term, long micros) {
        if (term > journal.term() || role != Role.FOLLOWER || leader != from) {
            follow(term, from);
        }
        suspectsLeader = false;
        heardAt = now;
        awaitElection();
        clock.set(micros);
    }

    private void onAppended(int from, Appended m) {
        if (leadsIn(m.term())) {
            if (followers.answered(from, m, now)) {
                agree();
            }
            followers.goOn(from, m, commit, now);
        }
    }

    /** Whether this node leads in a term of which it hears; if that is a later one, it no longer does. */
    private boolean leadsIn(long term) {
        if (term > journal.term()) {
            follow(term, NOBODY);
        }
        return role == Role.LEADER && term == journal.term();
    }

    /** Agrees upon what a majority has, if the end of that is of this term. */
    private void agree() {
        long agreed = followers.agreed();
        if (agreed > commit && journal.termAt(agreed) == journal.term()) {
            commitTo(agreed);
        }
    }

    private void commitTo(long index) {
        long end = Math.min(index, journal.lastIndex());
        while (commit < end) {
            Entry entry = journal.entry(commit + 1);
            commit++;
            if (entry.body().length > 0) {
                machine.apply(entry);
            }
        }
    }

    private void mindTheLog() {
        boolean isSettled = role == Role.LEADER || leader != NOBODY;
        long micros = journal.lastMicros();
        switch (snapshots.advice(journal.bytesSinceSnapshot(), snapshotBytes, micros, self, size, isLeader())) {
            case MAKE_ONE -> {
                if (isSettled) {
                    snapshot();
                }
            }
            case HAND_OVER -> leave(now);
            case NOTHING -> {}
        }
    }

    /** Lets a snapshot stand for everything that was applied. */
    void snapshot() {
        if (commit > journal.snapshotIndex()) {
            byte[] snapshot = machine.snapshot();
            snapshotBytes = snapshot.length;
            journal.compact(commit, snapshot);
        }
    }

    // ---- snapshots ----------------------------------------------------------------------------------------------

    private void onInstall(int from, Install m) {
        if (m.term() < journal.term()) {
            outbox.send(from, new Appended(journal.term(), false, journal.lastIndex(), 0, isTrusted()));
            return;
        }
        hearLeader(from, m.term(), m.micros());
        if (m.index() <= commit) {
            outbox.send(from, new Appended(journal.term(), true, commit, m.round(), isTrusted()));
            return;
        }
        IncomingSnapshot pieces = incoming;
        if (pieces == null || !pieces.goesOnWith(m)) {
            pieces = new IncomingSnapshot(m.index());
            incoming = pieces;
        }
        pieces.add(m);
        if (!pieces.isWhole(m)) {
            outbox.send(from, new Installed(journal.term(), m.index(), pieces.size(), m.round(), isTrusted()));
            return;
        }
        byte[] snapshot = pieces.bytes();
        incoming = null;
        machine.restore(snapshot);
        snapshotBytes = snapshot.length;
        journal.install(m.index(), m.indexTerm(), m.indexMicros(), snapshot);
        journal.ownWallMillis(clock.wallMillis());
        commit = m.index();
        outbox.send(from, new Appended(journal.term(), true, commit, m.round(), isTrusted()));
    }

    private void onInstalled(int from, Installed m) {
        if (leadsIn(m.term())) {
            followers.installed(from, m, now);
        }
    }

    // ---- the rest -----------------------------------------------------------------------------------------------

    private void onHello(int from, Hello m) {
        recovery.heard(from, m, now);
        if (m.asks()) {
            outbox.send(from, hello(false));
        }
    }

    private Hello hello(boolean asks) {
        return new Hello(journal.term(), asks, journal.hasData(), journal.isTrusted());
    }

    private void toOthers(Message message) {
        for (int i = 0; i < size; i++) {
            if (i != self) {
                outbox.send(i, message);
            }
        }
    }
}

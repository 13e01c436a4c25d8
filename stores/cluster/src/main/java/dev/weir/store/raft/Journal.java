package dev.weir.store.raft;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node must not forget: the term, its vote, the log, and the snapshot that stands for the beginning of the log.
 *
 * <p>This one is in memory; {@link FileJournal} keeps it on disk as well. Not safe for use by several threads.
 */
public class Journal {
    /** The vote of one who has not voted. */
    static final int NOBODY = -1;

    /** How many entries stay at hand when a snapshot stands for them: a follower a little behind needs no snapshot. */
    private static final int KEPT_BEHIND = 1_000;

    private long term;
    private int vote = NOBODY;
    private boolean trusted;
    private long snapshotIndex;
    private long snapshotTerm;
    private long snapshotMicros;
    private byte @Nullable [] snapshot;
    /** The entries from {@link #first} on. */
    private final ArrayList<Entry> entries = new ArrayList<>();

    private long first = 1;
    /** The term of the entry before {@link #first}. */
    private long termBefore;

    private long bytesSinceSnapshot;
    /** What this node's own wall clock showed at the last entry. */
    private long ownWallMillis;

    public final long term() {
        return term;
    }

    final int vote() {
        return vote;
    }

    /** Whether this node remembers all that it ever promised: otherwise it must neither vote nor count. */
    final boolean isTrusted() {
        return trusted;
    }

    final boolean hasData() {
        return lastIndex() > 0;
    }

    final long lastIndex() {
        return first + entries.size() - 1;
    }

    final long lastTerm() {
        return entries.isEmpty() ? termBefore : entries.get(entries.size() - 1).term();
    }

    /** The cluster's time at the end of the log. */
    final long lastMicros() {
        return entries.isEmpty()
                ? snapshotMicros
                : entries.get(entries.size() - 1).micros();
    }

    /** What this node's own wall clock showed when it got the end of the log. */
    final long ownWallMillis() {
        return ownWallMillis;
    }

    final void ownWallMillis(long millis) {
        ownWallMillis = millis;
    }

    final long snapshotIndex() {
        return snapshotIndex;
    }

    final long snapshotTerm() {
        return snapshotTerm;
    }

    final long snapshotMicros() {
        return snapshotMicros;
    }

    final long bytesSinceSnapshot() {
        return bytesSinceSnapshot;
    }

    /** The first entry that is at hand. */
    final long first() {
        return first;
    }

    /** The term of the entry at an index that is at hand, or of the one before; -1 for any other. */
    final long termAt(long index) {
        if (index == first - 1) {
            return termBefore;
        }
        return index < first || index > lastIndex() ? -1 : entry(index).term();
    }

    /**
     * Where a leader should go on whose entry at an index is not in this log: at its end if that is too short, else at
     * what precedes the term in which the two differ, but never before what is agreed upon.
     */
    final long placeToTry(long index, long commit) {
        if (lastIndex() < index) {
            return lastIndex();
        }
        long start = index;
        long term = termAt(start);
        while (start > commit && termAt(start) == term) {
            start--;
        }
        return start;
    }

    final Entry entry(long index) {
        return entries.get((int) (index - first));
    }

    /** Votes, or notes a new term in which it has not voted. */
    final void vote(long newTerm, int newVote) {
        term = newTerm;
        vote = newVote;
        keepVote();
    }

    final void trust(boolean newTrusted) {
        trusted = newTrusted;
        keepVote();
    }

    /** Appends entries that follow the last one. */
    final void append(List<Entry> more) {
        if (more.isEmpty()) {
            return;
        }
        for (Entry entry : more) {
            entries.add(entry);
            bytesSinceSnapshot += entry.size();
        }
        keepEntries(more);
    }

    /** Forgets the entries from an index on. */
    final void truncate(long from) {
        entries.subList((int) (from - first), entries.size()).clear();
        keepTruncation(from);
    }

    /** Lets a snapshot of everything up to an index that is at hand stand for it. */
    final void compact(long index, byte[] newSnapshot) {
        snapshotTerm = termAt(index);
        snapshotMicros = index >= first ? entry(index).micros() : snapshotMicros;
        snapshotIndex = index;
        keepSnapshot(newSnapshot);
        bytesSinceSnapshot = 0;
        for (int i = (int) (index + 1 - first); i < entries.size(); i++) {
            bytesSinceSnapshot += entries.get(i).size();
        }
        long newFirst = index - KEPT_BEHIND + 1;
        if (newFirst > first) {
            termBefore = termAt(newFirst - 1);
            entries.subList(0, (int) (newFirst - first)).clear();
            first = newFirst;
        }
    }

    /** Begins anew from somebody else's snapshot. */
    final void install(long index, long indexTerm, long indexMicros, byte[] newSnapshot) {
        entries.clear();
        snapshotIndex = index;
        snapshotTerm = indexTerm;
        snapshotMicros = indexMicros;
        first = index + 1;
        termBefore = indexTerm;
        bytesSinceSnapshot = 0;
        keepInstalled(newSnapshot);
    }

    /** The latest snapshot; null if there is none. */
    byte @Nullable [] snapshot() {
        return snapshot;
    }

    /** Says that all is written that ever will be. */
    public void close() {}

    void keepVote() {}

    void keepEntries(List<Entry> more) {}

    void keepTruncation(long from) {}

    void keepSnapshot(byte[] newSnapshot) {
        snapshot = newSnapshot;
    }

    void keepInstalled(byte[] newSnapshot) {
        keepSnapshot(newSnapshot);
    }

    /** Takes over what was read from a disk. */
    final void restore(long oldTerm, int oldVote, boolean wasTrusted) {
        term = oldTerm;
        vote = oldVote;
        trusted = wasTrusted;
    }

    final void restoreSnapshot(long index, long indexTerm, long indexMicros) {
        snapshotIndex = index;
        snapshotTerm = indexTerm;
        snapshotMicros = indexMicros;
        first = index + 1;
        termBefore = indexTerm;
    }

    /** Takes over an entry that was read from a disk; false if it does not follow. */
    final boolean restoreEntry(Entry entry) {
        if (entry.index() <= snapshotIndex) {
            return true;
        }
        if (entry.index() > lastIndex() + 1) {
            return false;
        }
        if (entry.index() <= lastIndex()) {
            entries.subList((int) (entry.index() - first), entries.size()).clear();
        }
        entries.add(entry);
        bytesSinceSnapshot += entry.size();
        return true;
    }
}

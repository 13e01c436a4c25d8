package dev.weir.server.dashboard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Bounds the decisions that the {@link SeenSubject}s keep: at most {@value #MOST_OF_ONE} about each, so that a busy
 * subject does not displace those of others, and {@value #MOST} in all. Beyond that the oldest is dropped.
 *
 * <p>An entry takes about 500 bytes, and at most about 5 kB with the longest attribute values, so all take 2.5 MB and at
 * most 25 MB. Guarded by the lock of {@link SeenSubjects}.
 */
final class RecentDecisions {
    static final int MOST_OF_ONE = 50;
    static final int MOST = 5000;

    /** Oldest first. Entries are distinguished by identity, and found without a search. */
    private final Set<Entry> all = new LinkedHashSet<>();

    /** A decision in the list of one subject. Not a record: equal decisions are different entries. */
    private static final class Entry {
        private final DecisionJson decision;
        private final Deque<Entry> list;

        Entry(DecisionJson decision, Deque<Entry> list) {
            this.decision = decision;
            this.list = list;
        }
    }

    /** The decisions about one subject, oldest first. */
    static final class OfSubject {
        private final Deque<Entry> entries = new ArrayDeque<>(2);

        /** Returns them, newest first. */
        List<DecisionJson> newestFirst() {
            List<DecisionJson> decisions = new ArrayList<>();
            entries.descendingIterator().forEachRemaining(entry -> decisions.add(entry.decision));
            return decisions;
        }
    }

    void add(OfSubject subject, DecisionJson decision) {
        Entry entry = new Entry(decision, subject.entries);
        if (subject.entries.size() == MOST_OF_ONE) {
            all.remove(subject.entries.removeFirst());
        }
        subject.entries.addLast(entry);
        all.add(entry);
        if (all.size() > MOST) {
            Entry oldest = all.iterator().next();
            all.remove(oldest);
            oldest.list.removeFirst();
        }
    }

    int size() {
        return all.size();
    }
}

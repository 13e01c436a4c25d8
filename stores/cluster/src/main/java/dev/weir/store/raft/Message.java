package dev.weir.store.raft;

import java.util.List;

/** What nodes say to each other. Every message names the term of the one who sends it, 0 where that does not matter. */
sealed interface Message {

    long term();

    /**
     * Asks for a vote.
     *
     * @param term the term in which the sender wants to lead
     * @param isTrial whether it only asks if it would get the vote; nobody is bound by the answer
     */
    record VoteRequest(long term, boolean isTrial, long lastIndex, long lastTerm) implements Message {}

    /**
     * Answers a {@link VoteRequest}.
     *
     * @param asked the term that was asked for
     * @param micros the cluster's time as the voter knows it, or -1
     */
    record Vote(long term, long asked, boolean isTrial, boolean granted, long micros) implements Message {}

    /**
     * A leader's entries, or just a sign of life.
     *
     * @param commit up to where entries are agreed upon
     * @param last the leader's last index
     * @param micros the cluster's time now
     * @param round counts the leader's signs of life
     * @param confirmed the latest round that a majority has answered
     */
    record Append(
            long term,
            long prevIndex,
            long prevTerm,
            long commit,
            long last,
            long micros,
            long round,
            long confirmed,
            List<Entry> entries)
            implements Message {
        /** Whether the entries follow one another, and none is of a later term than its sender's. */
        boolean isOrderly() {
            for (int i = 0; i < entries.size(); i++) {
                Entry entry = entries.get(i);
                if (entry.index() != prevIndex + 1 + i || entry.term() > term) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Answers an {@link Append} or the end of a snapshot.
     *
     * @param ok whether the entries fit; if not, {@code index} is a place from which to try again
     * @param index up to where the sender's log is the leader's
     * @param isTrusted whether the sender counts for majorities
     */
    record Appended(long term, boolean ok, long index, long round, boolean isTrusted) implements Message {}

    /** A piece of a snapshot of everything up to an index. */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
    record Install(
            long term,
            long index,
            long indexTerm,
            long indexMicros,
            long micros,
            long round,
            long offset,
            long total,
            byte[] piece)
            implements Message {}

    /** Says how much of a snapshot has come. */
    record Installed(long term, long index, long offset, long round, boolean isTrusted) implements Message {}

    /** The leader leaves: the one who gets this is to follow it. */
    record TakeOver(long term) implements Message {}

    /**
     * Tells a node that does not trust itself what others are like.
     *
     * @param asks whether the same is wanted in return
     */
    record Hello(long term, boolean asks, boolean hasData, boolean isTrusted) implements Message {}

    /** A batch that a node wants in the log; its number is the sender's own. */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
    record Submit(long term, long number, boolean durable, byte[] body) implements Message {}

    /** What applying a batch gave; not {@code accepted} means that the one asked does not lead and did nothing. */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
    record Applied(long term, long number, boolean accepted, byte[] reply) implements Message {}
}

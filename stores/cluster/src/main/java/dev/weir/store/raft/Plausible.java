package dev.weir.store.raft;

import dev.weir.store.raft.Message.Append;
import dev.weir.store.raft.Message.Install;
import dev.weir.store.raft.Message.Vote;
import dev.weir.store.raft.Message.VoteRequest;

/**
 * Whether a message has numbers that a node can have come by. Terms and indexes only grow, by ones, and so does time: a
 * single message with the largest number there is would leave no greater one, and the cluster would stand still for good.
 */
final class Plausible {
    /** Far more elections than a cluster holds while a node is away: with ten a second, thirteen years of them. */
    static final long LARGEST_TERM_JUMP = 1L << 32;

    /** Entries of the log, and microseconds since 1970: more than two thousand years of a million a second. */
    private static final long LARGEST = 1L << 56;

    private Plausible() {}

    /** @param term the term of the node that receives it */
    static boolean isPlausible(Message message, long term) {
        return message.term() - term <= LARGEST_TERM_JUMP && hasPlausibleNumbers(message);
    }

    private static boolean hasPlausibleNumbers(Message message) {
        if (message instanceof Append m) {
            return areSmall(m.prevIndex(), m.commit(), m.last(), m.micros())
                    && m.entries().stream().allMatch(entry -> areSmall(entry.index(), entry.micros()));
        }
        if (message instanceof Install m) {
            return m.indexTerm() <= m.term() && areSmall(m.index(), m.indexMicros(), m.micros());
        }
        if (message instanceof VoteRequest m) {
            return m.lastTerm() < m.term() && areSmall(m.lastIndex());
        }
        return !(message instanceof Vote m) || areSmall(m.micros());
    }

    private static boolean areSmall(long... numbers) {
        for (long number : numbers) {
            if (number > LARGEST) {
                return false;
            }
        }
        return true;
    }
}

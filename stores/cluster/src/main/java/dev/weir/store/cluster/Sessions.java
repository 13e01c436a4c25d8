package dev.weir.store.cluster;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The stored replies by client, so that a batch which is in the log twice is applied once.
 *
 * <p>A client numbers its batches and sends with each the number below which all have completed. The replies to the
 * others are stored, at most {@link #MOST_REPLIES} for each client. A session without a batch for ten minutes of the
 * cluster's time is removed, which is far longer than any batch is repeated; beyond {@link #MOST} sessions the least
 * recently used one is removed.
 *
 * <p>Part of the replicated state: deterministic, and the order of sessions counts. Not safe for use by several
 * threads.
 */
final class Sessions {
    private static final int MOST = 1_024;
    private static final int MOST_REPLIES = 256;
    private static final long SILENCE_MICROS = 600_000_000L;

    /** By client, least recently used first. */
    private final LinkedHashMap<Long, Session> sessions = new LinkedHashMap<>();

    /** The session of one client. */
    static final class Session {
        /** Time of the last batch, in microseconds of the cluster's clock. */
        long micros;
        /** Every batch below this number has completed. */
        long oldest;

        final TreeMap<Long, byte[]> replies = new TreeMap<>();

        Session copy() {
            Session copy = new Session();
            copy.micros = micros;
            copy.oldest = oldest;
            copy.replies.putAll(replies);
            return copy;
        }

        /** Whether a batch has completed and its reply was dropped. */
        boolean isOver(long sequence) {
            return sequence < oldest;
        }

        byte @Nullable [] reply(long sequence) {
            return replies.get(sequence);
        }

        void remember(long sequence, byte[] reply) {
            replies.put(sequence, reply);
            if (replies.size() > MOST_REPLIES) {
                oldest = Math.max(oldest, replies.firstKey() + 1);
                replies.remove(replies.firstKey());
            }
        }

        void answered(long below) {
            if (below > oldest) {
                oldest = below;
                replies.headMap(below).clear();
            }
        }
    }

    /** Returns the client's session and creates it if necessary; a new session removes idle ones. */
    Session of(long client, long micros) {
        Session session = sessions.remove(client);
        if (session == null) {
            session = new Session();
            endSilent(micros);
        }
        session.micros = micros;
        sessions.put(client, session);
        return session;
    }

    private void endSilent(long micros) {
        Iterator<Session> longestSilent = sessions.values().iterator();
        while (longestSilent.hasNext()) {
            Session session = longestSilent.next();
            if (micros - session.micros < SILENCE_MICROS && sessions.size() < MOST) {
                return;
            }
            longestSilent.remove();
        }
    }

    Map<Long, Session> all() {
        return sessions;
    }
}

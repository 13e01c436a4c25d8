package dev.weir.store.cluster;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was answered to whom, so that a batch which comes twice counts once.
 *
 * <p>A node numbers its batches and says with each which are answered; the replies to the others are remembered. The
 * node that fell silent is forgotten after ten minutes of the cluster's time, far longer than it repeats anything.
 */
final class Sessions {
    private static final int MOST = 1_024;
    private static final int MOST_REPLIES = 256;
    private static final long SILENCE_MICROS = 600_000_000L;

    /** By client, the one that was silent for the longest first. */
    private final LinkedHashMap<Long, Session> sessions = new LinkedHashMap<>();

    /** One client's. */
    static final class Session {
        /** When it last came. */
        long micros;
        /** Every batch below this number is answered. */
        long oldest;

        final TreeMap<Long, byte[]> replies = new TreeMap<>();

        /** Whether a batch was answered so long ago that its reply is forgotten. */
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

    /** The client's session, begun if need be; those that fell silent end. */
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

package dev.weir.store.raft;

import org.jspecify.annotations.Nullable;

/** What a leader knows of another node. */
final class Peer {
    final int id;
    /** The next entry to send. */
    long next;
    /** Up to where its log is known to be the leader's. */
    long match;
    /** Whether entries may be sent before the last ones are answered: its log is known to fit. */
    boolean fits;
    /** When it last answered, and when it last got further. */
    long answeredAt;

    long progressAt;
    /** The latest round that it answered. */
    long round;
    /** Whether it counts for majorities. */
    boolean isTrusted = true;
    /** The snapshot that it is being sent, if any. */
    @Nullable
    Transfer transfer;

    Peer(int id) {
        this.id = id;
    }

    /** A snapshot on its way. */
    static final class Transfer {
        final long index;
        final long indexTerm;
        final long indexMicros;
        final byte[] bytes;
        int offset;

        Transfer(long index, long indexTerm, long indexMicros, byte[] bytes) {
            this.index = index;
            this.indexTerm = indexTerm;
            this.indexMicros = indexMicros;
            this.bytes = bytes;
        }
    }

    void begin(long lastIndex, long now) {
        next = lastIndex + 1;
        match = 0;
        round = 0;
        fits = false;
        isTrusted = true;
        answeredAt = now;
        progressAt = now;
        transfer = null;
    }

    /** Sends again from what is known to have come. */
    void rewind() {
        next = match + 1;
        fits = false;
        if (transfer != null) {
            transfer.offset = 0;
        }
    }
}

package dev.weir.store.raft;

import java.io.ByteArrayOutputStream;

/** A leader's snapshot that arrives in pieces, in their order. */
final class IncomingSnapshot {
    private static final long LARGEST = 1L << 30;

    private final long index;
    private final ByteArrayOutputStream pieces = new ByteArrayOutputStream();

    IncomingSnapshot(long index) {
        this.index = index;
    }

    /** Whether this piece belongs to this snapshot: it neither begins one nor is of another. */
    boolean goesOnWith(Message.Install piece) {
        return piece.offset() != 0 && piece.index() == index;
    }

    /** Takes a piece if it is the next one. */
    void add(Message.Install piece) {
        if (piece.offset() == pieces.size() && piece.total() <= LARGEST && pieces.size() < piece.total()) {
            pieces.writeBytes(piece.piece());
        }
    }

    boolean isWhole(Message.Install piece) {
        return pieces.size() >= piece.total();
    }

    int size() {
        return pieces.size();
    }

    byte[] bytes() {
        return pieces.toByteArray();
    }
}

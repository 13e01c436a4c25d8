package dev.weir.store.consensus;

/**
 * The formats of submissions and snapshots that a node can read. It writes the newest one that all members can read, so
 * that nodes of two versions work together while they are upgraded one by one.
 */
public record FormatRange(int oldest, int newest) {

    public boolean contains(int format) {
        return oldest <= format && format <= newest;
    }

    /** Whether there is a format that both read. */
    boolean overlaps(FormatRange other) {
        return oldest <= other.newest && other.oldest <= newest;
    }

    /** The same without the formats before this one. */
    FormatRange from(int format) {
        return new FormatRange(Math.max(oldest, format), newest);
    }

    @Override
    public String toString() {
        return oldest == newest ? Integer.toString(newest) : oldest + " to " + newest;
    }
}

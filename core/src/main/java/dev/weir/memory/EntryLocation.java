package dev.weir.memory;

/** The location of an entry: the array of a generation and an index in it. Immutable. */
final class EntryLocation {
    /** The location of an entry that never has a key. */
    static final EntryLocation NOWHERE = new EntryLocation(new long[2], 0);

    final long[] words;
    final int at;

    EntryLocation(long[] words, int at) {
        this.words = words;
        this.at = at;
    }
}

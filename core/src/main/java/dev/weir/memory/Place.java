package dev.weir.memory;

/** A slot of a generation of the table. */
final class Place {
    /** A slot in which no key ever is. */
    static final Place NOWHERE = new Place(new long[2], 0);

    final long[] words;
    final int at;

    Place(long[] words, int at) {
        this.words = words;
        this.at = at;
    }
}

package dev.weir.benchmarks.redis;

/**
 * One cell of the tables: a contestant, its keys and its number of callers, in threads or with callbacks.
 *
 * @param name the contestant's
 */
record Cell(String name, Keys keys, int callers, boolean callbacks) {

    /** The keys that are checked. */
    enum Keys {
        HOT("one hot key", 1),
        MANY("100,000 keys", 100_000);

        final String title;
        final int count;

        Keys(String title, int count) {
            this.title = title;
            this.count = count;
        }
    }

    Cell with(String otherName) {
        return new Cell(otherName, keys, callers, callbacks);
    }

    /** The id in result files: {@code redis/hot/64/threads/Weir}. */
    String id() {
        return "redis/" + (keys == Keys.HOT ? "hot/" : "keys/") + callers + "/" + how() + "/" + name;
    }

    String how() {
        return callbacks ? "callbacks" : "threads";
    }
}

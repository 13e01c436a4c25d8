package dev.weir.benchmarks.redis;

/**
 * One place in the tables: which contestant, on which keys, with how many callers, waiting in threads or called back.
 *
 * @param name the contestant's
 */
record Cell(String name, Keys keys, int callers, boolean callbacks) {

    /** Which keys are asked for. */
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

    String how() {
        return callbacks ? "callbacks" : "threads";
    }
}

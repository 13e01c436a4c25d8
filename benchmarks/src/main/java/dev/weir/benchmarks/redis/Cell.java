package dev.weir.benchmarks.redis;

/**
 * One place in the tables: who, on which keys, with how many callers, waiting in threads or called back.
 *
 * @param name the contestant's
 */
record Cell(String name, Keys keys, int callers, boolean callbacks) {

    /** Which keys are asked for. */
    enum Keys {
        HOT("one hot key", 1),
        MANY("100,000 keys", 100_000);

        private final String title;
        private final int count;

        Keys(String title, int count) {
            this.title = title;
            this.count = count;
        }

        String title() {
            return title;
        }

        /** The keys of one contestant; nobody else has them. */
        String[] of(String owner) {
            String[] keys = new String[count];
            for (int i = 0; i < count; i++) {
                keys[i] = owner + "-user" + i;
            }
            return keys;
        }
    }

    Cell with(String otherName) {
        return new Cell(otherName, keys, callers, callbacks);
    }

    /** Where, without saying who. */
    String place() {
        return (callbacks ? "callbacks" : "threads") + ", " + keys.title + ", " + callers + " callers";
    }

    @Override
    public String toString() {
        return name + ", " + place();
    }
}

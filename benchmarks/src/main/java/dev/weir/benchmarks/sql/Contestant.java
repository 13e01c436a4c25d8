package dev.weir.benchmarks.sql;

/** One that is measured: it decides for a key, or hands in a question and calls back. */
interface Contestant extends AutoCloseable {

    /** A caller of its own: what belongs to one thread. */
    Caller newCaller();

    /** What else it knows of what it did. */
    default String remark() {
        return "";
    }

    /** Decides and waits for it. */
    interface Caller extends AutoCloseable {
        boolean check(int key);

        /** Asks without waiting; null if it can only wait. */
        default boolean ask(int key, Runnable done) {
            boolean unused = check(key);
            done.run();
            return true;
        }

        @Override
        default void close() {}
    }

    @Override
    void close();
}

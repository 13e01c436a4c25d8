package dev.weir.benchmarks.sql;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One that is measured: it decides for a key, or hands in a question and calls back. */
interface Contestant extends AutoCloseable {

    /** A caller of its own: what belongs to one thread. */
    Caller newCaller();

    /** What else it knows of what it did. */
    default String remark() {
        return "";
    }

    /** How many decisions it has made for so many checks, where it counts them itself. */
    default long decisions(long checks) {
        return checks;
    }

    /** Decides and waits for it. */
    interface Caller extends AutoCloseable {
        /** Returns whether the check was admitted. */
        boolean check(int key);

        /** Checks without waiting where it can, and calls back: with whether it was admitted, or with the failure. */
        default void checkLater(int key, BiConsumer<@Nullable Boolean, @Nullable Throwable> callback) {
            callback.accept(check(key), null);
        }

        @Override
        default void close() {}
    }

    @Override
    void close();
}

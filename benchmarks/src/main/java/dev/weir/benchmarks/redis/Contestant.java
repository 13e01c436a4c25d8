package dev.weir.benchmarks.redis;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Who checks a limit that lives in Redis. Every check fits; the policy is a million a second for each key. */
interface Contestant extends AutoCloseable {
    String name();

    /** Checks and waits, in the way that the library has for that; returns whether it was admitted. */
    boolean check(String key);

    /**
     * Checks without waiting, and calls back in the way that the library has for that: with whether it was admitted, or
     * with the failure.
     */
    void checkLater(String key, BiConsumer<@Nullable Boolean, @Nullable Throwable> callback);

    /** Whether one call of Redis may carry the checks of several callers. */
    default boolean isBatching() {
        return false;
    }

    @Override
    void close();
}

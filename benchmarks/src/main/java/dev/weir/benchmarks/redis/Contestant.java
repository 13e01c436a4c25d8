package dev.weir.benchmarks.redis;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who checks a limit that lives in Redis. Every check fits; the policy is a million a second for each key. */
interface Contestant extends AutoCloseable {
    String name();

    /** Checks and waits, in the way that the library has for that. */
    void check(String key);

    /** Checks without waiting, and calls back in the way that the library has for that; with the failure, if any. */
    void checkLater(String key, Consumer<@Nullable Throwable> callback);

    @Override
    void close();
}

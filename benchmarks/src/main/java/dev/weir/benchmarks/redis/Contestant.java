package dev.weir.benchmarks.redis;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Who checks a limit that lives in Redis. Every check fits; the policy is 10^12 a day for each key. */
interface Contestant extends AutoCloseable {
    String name();

    /** Checks and waits. */
    void check(String key);

    /** Checks; null if it cannot but wait. */
    default @Nullable CompletionStage<?> checkLater(String key) {
        return null;
    }

    @Override
    void close();
}

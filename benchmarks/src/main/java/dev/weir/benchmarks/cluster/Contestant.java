package dev.weir.benchmarks.cluster;

import java.util.concurrent.CompletionStage;

/** One node of those who check limits that three JVMs share. Every check fits; the policy is a million a second. */
interface Contestant extends AutoCloseable {
    /** Whether it sees all three. */
    boolean isReady();

    /** Whether what is decided is decided here. */
    boolean leads();

    /** Returns whether it was admitted. */
    boolean check(String key);

    CompletionStage<Boolean> checkLater(String key);

    @Override
    void close();
}

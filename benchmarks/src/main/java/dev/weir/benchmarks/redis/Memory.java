package dev.weir.benchmarks.redis;

import dev.weir.benchmarks.AnswerCheck;
import dev.weir.benchmarks.load.Contestant;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Semaphore;

/** Measures the memory that a token bucket takes in Redis. */
final class Memory {
    /** The bytes of an integer: 16 for its object, which has the value, and 24 for its entry in the key table. */
    private static final int OF_AN_INTEGER = 40;

    private static final int TOGETHER = 1_000;

    private final Server server;
    private final int keys;

    Memory(Server server, int keys) {
        this.server = server;
        this.keys = keys;
    }

    List<String> measured() {
        server.redis().flushall();
        try (Contestant weir = Contestants.weir(Contestants.WEIR, server, "", 1)) {
            AnswerCheck answers = new AnswerCheck("redis/memory");
            answers.accept(weir.check().test("someone"), null);
            answers.throwIfFailed();
            String key = server.redis().keys("*someone").get(0);
            String sameLength = "x".repeat(key.length());
            server.redis().set(sameLength, "1234567890123");
            long ofKey = bytes(sameLength) - OF_AN_INTEGER;
            long all = bytes(key);
            server.redis().flushall();
            double before = server.usedMemory();
            spendOn(weir, answers);
            double each = (server.usedMemory() - before) / keys;
            return List.of(
                    String.format(
                            Locale.ROOT,
                            "Memory: MEMORY USAGE of a token bucket is %d B, of which its name of %d characters takes"
                                    + " %d B and the rest %d B (bar: at most 64 B); its time to live is not in it.",
                            all,
                            key.length(),
                            ofKey,
                            all - ofKey),
                    String.format(
                            Locale.ROOT,
                            "Memory: %,d token buckets take %.0f B of used_memory each, with name, time to live and"
                                    + " Redis's tables.",
                            keys,
                            each));
        }
    }

    private long bytes(String key) {
        return Objects.requireNonNull(server.redis().memoryUsage(key));
    }

    private void spendOn(Contestant weir, AnswerCheck answers) {
        Semaphore room = new Semaphore(TOGETHER);
        for (int i = 0; i < keys; i++) {
            room.acquireUninterruptibly();
            weir.checkLater().accept(String.format(Locale.ROOT, "user%07d", i), (admitted, failure) -> {
                answers.accept(admitted, failure);
                room.release();
            });
        }
        room.acquireUninterruptibly(TOGETHER);
        answers.throwIfFailed();
        // The store's clock is a key, too.
        if (server.redis().dbsize() < keys) {
            throw MeasurementFailedException.wrongAnswer(
                    "redis/memory", keys + " keys", server.redis().dbsize());
        }
    }
}

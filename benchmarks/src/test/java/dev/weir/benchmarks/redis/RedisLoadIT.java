package dev.weir.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.benchmarks.load.Contestant;
import dev.weir.benchmarks.load.Load;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loads on a real Redis stop at an unexpected result. */
final class RedisLoadIT {
    private Server server;

    @BeforeEach
    void start() throws Exception {
        server = new Server();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void run_checksThatAreRefused_fails(boolean callbacks) {
        assertFails(fixed(false, null), callbacks, "fixed: expected admitted, found refused");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void run_checksThatFail_fails(boolean callbacks) {
        assertFails(
                fixed(true, new IllegalStateException("no connection")),
                callbacks,
                "fixed: expected admitted, found java.lang.IllegalStateException: no connection");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void run_checksThatRedisDoesNotDecide_fails(boolean callbacks) {
        assertFails(fixed(true, null), callbacks, "fixed: expected at least ");
    }

    @Test
    void rawLoad_scriptThatRefuses_fails() {
        List<byte[]> refused = Stream.of("EVAL", "return {0, 0, 1}", "0")
                .map(word -> word.getBytes(StandardCharsets.US_ASCII))
                .toList();
        assertThatThrownBy(() -> new RawLoad(server.port(), refused, RawBenchmark.BARE_ADMITS, 1).perSecond(1, 1_000))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessageStartingWith("redis/raw: expected admitted, found *3");
    }

    private void assertFails(Contestant contestant, boolean callbacks, String message) {
        assertThatThrownBy(() -> new Load("fixed", contestant, new String[] {"key"}, 4, callbacks, true).run(1, 5))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessageStartingWith(message);
    }

    /** Always returns the same result, and never calls Redis. */
    private Contestant fixed(boolean admitted, @Nullable RuntimeException failure) {
        return new Contestant(
                "fixed",
                key -> {
                    if (failure != null) {
                        throw failure;
                    }
                    return admitted;
                },
                (key, callback) -> ForkJoinPool.commonPool()
                        .execute(() -> callback.accept(failure == null ? admitted : null, failure)),
                server::usage,
                false,
                () -> {});
    }
}

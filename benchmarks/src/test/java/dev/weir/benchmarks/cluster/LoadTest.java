package dev.weir.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.benchmarks.MeasurementFailedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loads stop at an answer that they do not mean to measure. */
final class LoadTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void run_checksThatAreRefused_fails(boolean callbacks) {
        Load load = new Load("load hot", new Refusing(), new String[] {"key"}, 4, callbacks);
        assertThatThrownBy(() -> load.run(1, 5))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessage("load hot: expected admitted, found refused");
    }

    private static final class Refusing implements Contestant {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public boolean leads() {
            return true;
        }

        @Override
        public boolean check(String key) {
            return false;
        }

        @Override
        public CompletionStage<Boolean> checkLater(String key) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public void close() {}
    }
}

package dev.weir.benchmarks.sql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.benchmarks.MeasurementFailedException;
import org.junit.jupiter.api.Test;

/** Loads stop at an answer that they do not mean to measure. */
final class LoadTest {
    @Test
    void blocking_checksThatAreRefused_fails() {
        Load load = new Load("pg/hot", contestant(key -> false, 0), 4, 1);
        assertThatThrownBy(() -> load.blocking(0.001))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessage("pg/hot: expected admitted, found refused");
    }

    @Test
    void async_checksThatAreRefused_fails() {
        Load load = new Load("pg/hot", contestant(key -> false, 0), 4, 1);
        assertThatThrownBy(() -> load.async(0.001))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessage("pg/hot: expected admitted, found refused");
    }

    @Test
    void blocking_checksThatFail_fails() {
        Contestant.Caller failing = key -> {
            throw new IllegalStateException("no connection");
        };
        assertThatThrownBy(() -> new Load("pg/hot", contestant(failing, 0), 4, 1).blocking(0.001))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessageContaining("no connection");
    }

    @Test
    void blocking_storeThatDecidesLessThanItAnswers_fails() {
        assertThatThrownBy(() -> new Load("pg/hot", contestant(key -> true, 3), 4, 1).blocking(0.001))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessageEndingWith(" decisions, found 3");
    }

    private static Contestant contestant(Contestant.Caller caller, long decisions) {
        return new Contestant() {
            @Override
            public Caller newCaller() {
                return caller;
            }

            @Override
            public long decisions(long checks) {
                return decisions;
            }

            @Override
            public void close() {}
        };
    }
}

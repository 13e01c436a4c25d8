package dev.weir.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.benchmarks.measure.MeasurementFailedException;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loads stop at an unexpected result. */
final class LoadTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void run_checksThatAreRefusedAtOnce_fails(boolean callbacks) {
        assertFails(
                Contestant.blocking("", key -> false, () -> {}), callbacks, "pg/hot: expected admitted, found refused");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void run_checksThatAreRefusedLater_fails(boolean callbacks) {
        assertFails(contestant(key -> false, 0), callbacks, "pg/hot: expected admitted, found refused");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void run_checksThatFail_fails(boolean callbacks) {
        Predicate<String> failing = key -> {
            throw new IllegalStateException("no connection");
        };
        assertFails(
                contestant(failing, 0),
                callbacks,
                "pg/hot: expected admitted, found java.lang.IllegalStateException: no connection");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void run_storeThatDecidesLessThanItAnswers_fails(boolean callbacks) {
        assertFails(contestant(key -> true, 3), callbacks, "pg/hot: expected at least ", " checks, found 0.0");
        assertFails(
                contestant(key -> true, 3).counted(() -> new Usage(0, 0, 3), true),
                callbacks,
                "pg/hot: expected at least ",
                " checks, found 0.0");
    }

    @Test
    void run_countedByTheBackend_isFiguresForEachCheck() throws Exception {
        Load.Result result =
                load(Contestant.blocking("", key -> true, () -> {}), false).run(1, 5);
        assertThat(result.perSecond()).isPositive();
        assertThat(result.p50()).isPositive().isLessThanOrEqualTo(result.p999());
        assertThat(result.commands()).isNaN();
        assertThat(Load.Result.parse(result.line())).isEqualTo(result);
    }

    private static void assertFails(Contestant contestant, boolean callbacks, String... message) {
        assertThatThrownBy(() -> load(contestant, callbacks).run(1, 5))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessageStartingWith(message[0])
                .hasMessageEndingWith(message[message.length - 1]);
    }

    private static Load load(Contestant contestant, boolean callbacks) {
        return new Load("pg/hot", contestant, new String[] {"key"}, 4, callbacks, true);
    }

    /** Calls back from other threads. Its backend has made so many decisions before, and then makes none. */
    private static Contestant contestant(Predicate<String> check, long decisions) {
        return new Contestant(
                "",
                check,
                (key, callback) -> ForkJoinPool.commonPool().execute(() -> answer(check, key, callback)),
                () -> new Usage(0, 0, decisions),
                false,
                () -> {});
    }

    private static void answer(Predicate<String> check, String key, Contestant.Callback callback) {
        boolean admitted;
        try {
            admitted = check.test(key);
        } catch (RuntimeException e) {
            callback.accept(null, e);
            return;
        }
        callback.accept(admitted, null);
    }
}

package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.benchmarks.measure.Effort;
import dev.weir.benchmarks.measure.MeasurementFailedException;
import dev.weir.benchmarks.measure.Progress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every benchmark stops at an unexpected result. */
final class WrongAnswersTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(printed, true, StandardCharsets.UTF_8);

    /** In this process, and in a separate one. */
    @Tag("io")
    @ParameterizedTest
    @EnumSource(
            value = Effort.class,
            names = {"CHECK", "QUICK"})
    void measurement_ofALimiterThatRefuses_fails(Effort effort) {
        Suite.Variant allowed = new Suite.Variant("allowed/1", "", Map.of("outcome", "ALLOWED"), 1);
        Suite.Contestant contestant = new Suite.Contestant("handle", "", Suite.Role.WEIR);
        Suite.Group group = new Suite.Group(
                "exhausted",
                "",
                "",
                ExhaustedBenchmark.class,
                List.of(allowed),
                List.of(contestant),
                "handle",
                100,
                "64m");
        Measurement measurement = new Measurement(MeasurementPlan.of(effort, 1, ""), new Progress(stream, 1));
        assertThatThrownBy(() -> measurement.measure(new Suite.Case(group, allowed, contestant)))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessageContaining("exhausted/allowed/1/handle")
                .hasMessageContaining("expected ALLOWED, found DENIED");
    }

    @Test
    void hotKey_deniedButAllowedAgain_fails() {
        HotKeyBenchmark.Bare contestant = new HotKeyBenchmark.Bare();
        contestant.outcome = ExpectedOutcome.DENIED;
        contestant.setUp();
        contestant.prepare(BudgetSize.PLENTY);
        assertThatThrownBy(contestant::check)
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessage("Bare: expected DENIED, found ALLOWED");
    }

    @Test
    void engine_requestThatIsAllowedInsteadOfDenied_fails() {
        EngineBenchmark.Engine engine = new EngineBenchmark.Engine();
        engine.denied.put("path", "/health");
        assertThatThrownBy(() -> new EngineBenchmark().fourDenied(engine))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessageContaining("expected denied");
    }

    @Test
    void engine_otherLimitsThanMeant_fails() {
        EngineBenchmark.Engine engine = new EngineBenchmark.Engine();
        engine.four.remove("user");
        assertThatThrownBy(() -> new EngineBenchmark().fourTold(engine))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessageContaining("the tightest limit: expected session");
        assertThatThrownBy(engine::checkLimits)
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessageEndingWith("expected 4, found 2");
    }

    @Test
    void keyedLimiter_thatHoldsFewerKeys_fails() {
        String[] twice = {"user-1", "user-1"};
        assertThatThrownBy(() -> KeyedLimiter.of("openTable", 2).fill(twice))
                .isInstanceOf(MeasurementFailedException.class)
                .hasMessage("keys that are held: expected 2, found 1");
    }

    @Test
    void commandLine_wrongAnswer_exitsWithOneAndSaysWhich() throws Exception {
        int code = new Main(stream, stream).report(() -> {
            throw MeasurementFailedException.wrongAnswer("hot/bare", ExpectedOutcome.ALLOWED, ExpectedOutcome.DENIED);
        });
        assertThat(code).isEqualTo(1);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("the measurement failed: hot/bare: expected ALLOWED, found DENIED");
    }
}

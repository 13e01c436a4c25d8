package dev.weir.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {
    private static final List<String> COMMANDS = List.of("bench", "check", "demo", "serve", "simulate", "validate");

    @ParameterizedTest
    @CsvSource({"dmeo,demo", "dem,demo", "demos,demo", "dimo,demo", "chekc,check", "sevre,serve", "simulat,simulate"})
    void nearest_aSlipAway_isFound(String typed, String meant) {
        assertThat(Nearest.to(typed, COMMANDS)).contains(meant);
    }

    @ParameterizedTest
    @CsvSource({"x", "list", "delete", "configuration"})
    void nearest_ofSomethingElse_isNothing(String typed) {
        assertThat(Nearest.to(typed, COMMANDS)).isEmpty();
    }

    @Test
    void nearest_ofTwoEquallyNear_isTheFirstByName() {
        assertThat(Nearest.to("bat", List.of("cat", "bar"))).contains("bar");
    }

    @ParameterizedTest
    @CsvSource({"abc,abc,0", "abc,acb,1", "abc,ab,1", "ab,abc,1", "abc,axc,1", "'',abc,3", "kitten,sitting,3"})
    void slips_countsEachKind(String a, String b, int slips) {
        assertThat(Nearest.editDistance(a, b)).isEqualTo(slips);
    }
}

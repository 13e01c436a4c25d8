package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT0.05S, 50ms",
        "PT1.5S, 1s500ms",
        "PT90S, 1m30s",
        "PT24H, 1d",
        "PT25H30M, 1d1h30m",
        "PT0.00005S, 50us",
        "PT0.000999999S, 999999ns",
        "PT-0.5S, -500ms",
        "PT-90M, -1h30m"
    })
    void text_isTheShortestExactOne(Duration duration, String text) {
        assertThat(DurationText.of(duration)).isEqualTo(text);
    }

    @Test
    void everyDuration_hasAText() {
        assertThat(DurationText.of(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
                .isEqualTo("106751991167300d15h30m7s999ms999999ns");
        assertThat(DurationText.of(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo("-106751991167300d15h30m7s");
        assertThat(DurationText.of(Duration.ofSeconds(Long.MIN_VALUE, 1))).startsWith("-106751991167300d15h30m7s");
    }
}

package dev.weir.cli.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SuggestionTest {
    @Test
    void suggestedCounts_areRoundedUpToTwoDigits() {
        assertThat(Suggestion.rounded(7)).isEqualTo(7);
        assertThat(Suggestion.rounded(99)).isEqualTo(99);
        assertThat(Suggestion.rounded(101)).isEqualTo(110);
        assertThat(Suggestion.rounded(12_345)).isEqualTo(13_000);
    }
}

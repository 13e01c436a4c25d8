package dev.weir.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.LockedStoreUnderTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The golden vectors equal the model's results, and the algorithms of core agree with them. */
class VectorFileTest {

    static Iterable<VectorFile> files() {
        return VectorFile.all();
    }

    @ParameterizedTest
    @MethodSource("files")
    void file_generatedToday_isTheOneInTheRepository(VectorFile file) {
        assertThat(file.generate())
                .as("%s differs from the model; the README beside it tells how to write it anew", file.path())
                .isEqualTo(file.text());
    }

    @ParameterizedTest
    @MethodSource("files")
    void file_replayedOnLedgersOfMicroseconds_givesTheSameAnswers(VectorFile file) {
        assertThat(file.check(LockedStoreUnderTest::new)).isEqualTo(1);
    }
}

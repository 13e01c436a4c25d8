package dev.weir.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static final Cell WEIR = new Cell(Contestants.WEIR, Cell.Keys.HOT, 64, true);
    private static final Cell BARE = WEIR.with(Contestants.BARE);

    private final Figures figures = new Figures();

    @Test
    void median_ofThreeRounds_isTheMiddleOne() {
        add(WEIR, 300, 100, 200);
        assertThat(figures.median(WEIR, Load.Result::opsPerSecond)).isEqualTo(200);
        assertThat(figures.median(BARE, Load.Result::opsPerSecond)).isNaN();
    }

    @Test
    void ratio_ofRoundsThatWereDisturbedAlike_isThatOfTheRounds() {
        add(WEIR, 400, 40, 800);
        add(BARE, 100, 10, 400);
        assertThat(figures.ratio(WEIR, BARE, Load.Result::opsPerSecond)).isEqualTo(4);
    }

    @Test
    void page_withABarThatIsMissed_saysSo() {
        add(WEIR, 390);
        add(BARE, 100);
        assertThat(new RedisReport(figures, List.of("a note")).page())
                .contains("| Weir, callbacks | 64 | 390 |")
                .contains("- a note")
                .contains("Weir / bare script per call | 3.90 × | at least 4.0 × | NOT MET |");
    }

    private void add(Cell cell, double... rounds) {
        for (double ops : rounds) {
            figures.add(cell, new Load.Result(ops, 1, 1, 1, 1));
        }
    }
}

package dev.weir.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.load.Figures;
import dev.weir.benchmarks.load.Load;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static final Cell WEIR = new Cell(Contestants.WEIR, Cell.Keys.HOT, 64, true);
    private static final Cell SPINNING = WEIR.with(Contestants.SPINNING);
    private static final Cell BARE = WEIR.with(Contestants.BARE);

    private final Figures<Cell> figures = new Figures<>();

    @Test
    void median_ofThreeRounds_isTheMiddleOne() {
        add(WEIR, 300, 100, 200);
        assertThat(figures.median(WEIR, Load.Result::perSecond)).isEqualTo(200);
        assertThat(figures.median(BARE, Load.Result::perSecond)).isNaN();
    }

    @Test
    void ratio_ofRoundsThatWereDisturbedAlike_isThatOfTheRounds() {
        add(WEIR, 400, 40, 800);
        add(BARE, 100, 10, 400);
        assertThat(Figures.median(figures.ratios(WEIR, BARE, Load.Result::perSecond)))
                .isEqualTo(4);
    }

    @Test
    void page_withABarThatIsMissed_saysSo() {
        add(SPINNING, 390);
        add(WEIR, 280);
        add(WEIR.with(Contestants.BATCHING), 140);
        add(BARE, 100);
        assertThat(new RedisReport(figures, List.of("a note")).page())
                .contains("| Weir, callbacks | 64 | 280 |")
                .contains("| Weir, spin=true, callbacks | 64 | 390 |")
                .contains("- a note")
                .contains("Weir, spin=true / bare script per call | 3.90 × | at least 4.0 × | NOT MET |")
                .contains("Weir / bare script per call | 2.80 × | – | – |")
                .contains("Weir / Bucket4j with batching | 2.00 × | at least 2.0 × | met |");
    }

    private void add(Cell cell, double... rounds) {
        for (double ops : rounds) {
            figures.add(cell, new Load.Result(ops, 1, 1, 1, 1, 1, 1, 1));
        }
    }
}

package dev.weir.benchmarks.redis;

import static dev.weir.benchmarks.measure.Table.number;

import dev.weir.benchmarks.load.Figures;
import dev.weir.benchmarks.load.Load;
import dev.weir.benchmarks.measure.Table;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** The page of a run: tables, notes, and the bars. */
final class RedisReport {
    private static final List<String> LIMITS = List.of(RedisBench.ONE_LIMIT, RedisBench.FOUR_LIMITS);
    private static final List<String> WAITS = List.of(RedisBench.NO_WAIT, RedisBench.WAIT);
    /** The bound of a ratio that is shown but not judged. */
    private static final double NONE = Double.NaN;

    private final Figures<Cell> figures;
    private final List<String> notes;
    private final StringBuilder page = new StringBuilder();
    private final Table bars = new Table("Redis: bars", 1, List.of("bar", "measured", "required", "verdict"));

    RedisReport(Figures<Cell> figures, List<String> notes) {
        this.figures = figures;
        this.notes = notes;
    }

    String page() {
        for (Cell.Keys keys : Cell.Keys.values()) {
            table(
                    keys.title,
                    cell -> cell.keys() == keys && !LIMITS.contains(cell.name()) && !WAITS.contains(cell.name()));
        }
        table("several limits in one decision, 100,000 keys", cell -> LIMITS.contains(cell.name()));
        table("waiting for a replica, one hot key", cell -> WAITS.contains(cell.name()));
        notes.forEach(note -> page.append("- ").append(note).append('\n'));
        for (boolean callbacks : new boolean[] {false, true}) {
            contest(Contestants.SPINNING, callbacks);
            contest(Contestants.WEIR, callbacks);
        }
        for (int callers : new int[] {1, 16}) {
            atMost(
                    2,
                    "Redis CPU of four limits / of one, " + callers + " caller(s)",
                    new Cell(RedisBench.FOUR_LIMITS, Cell.Keys.MANY, callers, callers > 1),
                    RedisBench.ONE_LIMIT,
                    Load.Result::cpuMicros);
        }
        Cell waits = new Cell(RedisBench.WAIT, Cell.Keys.HOT, 1, false);
        atMost(NONE, "wait=1, 1 caller: p50 / without", waits, RedisBench.NO_WAIT, Load.Result::p50);
        Cell busy = new Cell(RedisBench.WAIT, Cell.Keys.HOT, 64, true);
        atLeast(NONE, "wait=1, 64 callers: ops/s / without", ops(busy, RedisBench.NO_WAIT));
        return page.append('\n').append(bars.markdown()).toString();
    }

    private void table(String title, Predicate<Cell> belongs) {
        List<String> header =
                List.of("", "callers", "ops/s", "p50 µs", "p99 µs", "Redis CPU µs per check", "calls per check");
        Table table = new Table("Redis: " + title, 1, header);
        figures.places().stream()
                .filter(belongs)
                .forEach(cell -> table.add(List.of(
                        cell.name() + ", " + cell.how(),
                        "" + cell.callers(),
                        number("%,.0f", figures.median(cell, Load.Result::perSecond)),
                        number("%,.0f", figures.median(cell, Load.Result::p50)),
                        number("%,.0f", figures.median(cell, Load.Result::p99)),
                        number("%.2f", figures.median(cell, Load.Result::cpuMicros)),
                        number("%.3f", figures.median(cell, Load.Result::commands)))));
        if (!table.isEmpty()) {
            page.append(table.markdown()).append('\n');
        }
    }

    /** The bars apply with spinning; without it, the bar is twice Bucket4j's best on the hot key. */
    private void contest(String weir, boolean callbacks) {
        boolean spins = weir.equals(Contestants.SPINNING);
        Cell hot = new Cell(weir, Cell.Keys.HOT, 64, callbacks);
        Cell many = new Cell(weir, Cell.Keys.MANY, 64, callbacks);
        String compared = ", 64 callers, " + hot.how() + ": " + weir + " / ";
        atLeast(spins ? 4 : NONE, "hot key" + compared + "bare script per call", ops(hot, Contestants.BARE));
        atLeast(spins ? 3 : 2, "hot key" + compared + "Bucket4j with batching", ops(hot, Contestants.BATCHING));
        atLeast(spins ? 1.2 : NONE, "100,000 keys" + compared + "bare script", ops(many, Contestants.BARE));
        atLeast(
                spins ? 3 : NONE,
                "100,000 keys" + compared + "best of Bucket4j",
                Math.min(ops(many, Contestants.BUCKET4J), ops(many, Contestants.BATCHING)));
        for (Cell.Keys keys : Cell.Keys.values()) {
            atMost(
                    spins ? 1.1 : NONE,
                    keys.title + ", 1 caller, " + hot.how() + ": p50 of " + weir + " / of the bare script",
                    new Cell(weir, keys, 1, callbacks),
                    Contestants.BARE,
                    Load.Result::p50);
        }
    }

    private double ops(Cell cell, String other) {
        return Figures.median(figures.ratios(cell, cell.with(other), Load.Result::perSecond));
    }

    private void atLeast(double bar, String what, double ratio) {
        bar(what, ratio, bar, "at least ", ratio >= bar);
    }

    private void atMost(double bar, String what, Cell cell, String other, ToDoubleFunction<Load.Result> figure) {
        double ratio = Figures.median(figures.ratios(cell, cell.with(other), figure));
        bar(what, ratio, bar, "at most ", ratio <= bar);
    }

    private void bar(String what, double ratio, double bar, String bound, boolean isMet) {
        if (!Double.isNaN(ratio)) {
            boolean isShown = Double.isNaN(bar);
            bars.add(List.of(
                    what,
                    number("%.2f ×", ratio),
                    isShown ? "–" : bound + bar + " ×",
                    isShown ? "–" : isMet ? "met" : "NOT MET"));
        }
    }
}

package dev.weir.benchmarks.redis;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The page about a run: tables, notes, and the bars. */
final class RedisReport {
    private static final List<String> EXTRAS =
            List.of(RedisBench.ONE_LIMIT, RedisBench.FOUR_LIMITS, RedisBench.NO_WAIT, RedisBench.WAIT);

    private final Figures figures;
    private final List<String> notes;
    private final StringBuilder page = new StringBuilder();

    RedisReport(Figures figures, List<String> notes) {
        this.figures = figures;
        this.notes = notes;
    }

    String page() {
        for (Cell.Keys keys : Cell.Keys.values()) {
            table(keys.title(), cell -> cell.keys() == keys && !EXTRAS.contains(cell.name()));
        }
        table(
                "several limits in one decision, 100,000 keys",
                cell -> cell.name().endsWith("limit") || cell.name().endsWith("limits"));
        table(
                "waiting for a replica, one hot key",
                cell -> cell.name().equals(RedisBench.NO_WAIT) || cell.name().equals(RedisBench.WAIT));
        notes.forEach(note -> page.append("- ").append(note).append('\n'));
        page.append("\n### Redis: bars\n\n| bar | measured | required | verdict |\n| --- | ---: | ---: | --- |\n");
        bars();
        return page.toString();
    }

    private void table(String title, Predicate<Cell> belongs) {
        StringBuilder rows = new StringBuilder();
        figures.forEach((cell, rounds) -> {
            if (belongs.test(cell)) {
                rows.append(row(cell));
            }
        });
        if (rows.length() > 0) {
            page.append("### Redis: ").append(title).append("\n\n");
            page.append("| | callers | ops/s | p50 µs | p99 µs | Redis CPU µs per check | calls per check |\n");
            page.append("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
                    .append(rows)
                    .append('\n');
        }
    }

    private String row(Cell cell) {
        return String.format(
                Locale.ROOT,
                "| %s, %s | %d | %,.0f | %,.0f | %,.0f | %.2f | %.3f |\n",
                cell.name(),
                cell.callbacks() ? "callbacks" : "threads",
                cell.callers(),
                figures.median(cell, Load.Result::opsPerSecond),
                figures.median(cell, Load.Result::p50),
                figures.median(cell, Load.Result::p99),
                figures.median(cell, Load.Result::cpuMicros),
                figures.median(cell, Load.Result::commands));
    }

    private void bars() {
        for (boolean callbacks : new boolean[] {false, true}) {
            String how = callbacks ? "callbacks" : "threads";
            Cell hot = new Cell(Contestants.WEIR, Cell.Keys.HOT, 64, callbacks);
            Cell many = new Cell(Contestants.WEIR, Cell.Keys.MANY, 64, callbacks);
            atLeast(4, "hot key, 64 callers, " + how + ": Weir / bare script per call", ops(hot, Contestants.BARE));
            atLeast(
                    3,
                    "hot key, 64 callers, " + how + ": Weir / Bucket4j with batching",
                    ops(hot, Contestants.BATCHING));
            atLeast(1.2, "100,000 keys, 64 callers, " + how + ": Weir / bare script", ops(many, Contestants.BARE));
            atLeast(
                    3,
                    "100,000 keys, 64 callers, " + how + ": Weir / best of Bucket4j",
                    DoubleStream.of(ops(many, Contestants.BUCKET4J), ops(many, Contestants.BATCHING))
                            .min()
                            .getAsDouble());
            for (Cell.Keys keys : Cell.Keys.values()) {
                Cell single = new Cell(Contestants.WEIR, keys, 1, callbacks);
                atMost(
                        1.1,
                        keys.title() + ", 1 caller, " + how + ": p50 of Weir / of the bare script",
                        figures.ratio(single, single.with(Contestants.BARE), Load.Result::p50));
            }
        }
        for (boolean callbacks : new boolean[] {false, true}) {
            Cell four = new Cell(RedisBench.FOUR_LIMITS, Cell.Keys.MANY, callbacks ? 16 : 1, callbacks);
            atMost(
                    2,
                    "Redis CPU of four limits / of one, " + four.callers() + " caller(s)",
                    figures.ratio(four, four.with(RedisBench.ONE_LIMIT), Load.Result::cpuMicros));
        }
        Cell waits = new Cell(RedisBench.WAIT, Cell.Keys.HOT, 1, false);
        price("wait=1, 1 caller: p50 / without", waits, Load.Result::p50);
        price(
                "wait=1, 64 callers: ops/s / without",
                new Cell(RedisBench.WAIT, Cell.Keys.HOT, 64, true),
                Load.Result::opsPerSecond);
    }

    private double ops(Cell cell, String other) {
        return figures.ratio(cell, cell.with(other), Load.Result::opsPerSecond);
    }

    private void price(String what, Cell cell, ToDoubleFunction<Load.Result> figure) {
        bar(what, figures.ratio(cell, cell.with(RedisBench.NO_WAIT), figure), "–", "–");
    }

    private void atLeast(double bar, String what, double ratio) {
        bar(what, ratio, "at least " + bar + " ×", ratio >= bar ? "met" : "NOT MET");
    }

    private void atMost(double bar, String what, double ratio) {
        bar(what, ratio, "at most " + bar + " ×", ratio <= bar ? "met" : "NOT MET");
    }

    private void bar(String what, double ratio, String required, String verdict) {
        if (!Double.isNaN(ratio)) {
            page.append(String.format(Locale.ROOT, "| %s | %.2f × | %s | %s |\n", what, ratio, required, verdict));
        }
    }
}

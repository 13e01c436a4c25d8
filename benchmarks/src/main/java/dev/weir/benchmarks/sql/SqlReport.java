package dev.weir.benchmarks.sql;

import static dev.weir.benchmarks.measure.Table.number;

import dev.weir.benchmarks.load.Figures;
import dev.weir.benchmarks.load.Load;
import dev.weir.benchmarks.measure.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** The page of the SQL benchmark: figures and bars. */
final class SqlReport {
    private final Figures<String> figures;
    private final Table bars = new Table("", 1, List.of("bar", "promised", "measured", "rounds", ""));

    SqlReport(Figures<String> figures) {
        this.figures = figures;
    }

    String markdown() {
        Table all = new Table("SQL: decisions a second", 1, List.of("decisions a second", "median", "rounds"));
        Table single = new Table("", 1, List.of("one caller, µs", "mean", "p50", "p95", "p99", "p99.9"));
        for (String name : figures.places()) {
            double perSecond = figures.median(name, Load.Result::perSecond);
            all.add(List.of(name, round(perSecond), rounds(figures.turns(name, Load.Result::perSecond))));
            if (!Double.isNaN(figures.median(name, Load.Result::mean))) {
                single.add(latencies(name));
            }
        }
        judge();
        return all.markdown() + "\n" + single.markdown() + "\n" + bars.markdown();
    }

    private List<String> latencies(String name) {
        List<String> row = new ArrayList<>(List.of(name));
        for (ToDoubleFunction<Load.Result> figure : List.<ToDoubleFunction<Load.Result>>of(
                Load.Result::mean, Load.Result::p50, Load.Result::p95, Load.Result::p99, Load.Result::p999)) {
            row.add(number("%.1f", figures.median(name, figure)));
        }
        return row;
    }

    private void judge() {
        compareWithBare("PostgreSQL", "pg", 32, 15, 3);
        for (String way : new String[] {"advisory locks", "select for update"}) {
            String peer = "pg/hot, 32/bucket4j " + way.substring(0, way.indexOf(' '));
            String what = "PostgreSQL, hot key, 32 callers in threads: Weir / Bucket4j, " + way;
            bar(what, "pg/hot, 32/weir", peer, Load.Result::perSecond, " ×", 20, true);
        }
        compareWithBare("SQLite", "sqlite", 64, 4, 1.5);
        String alone = "sqlite/hot, 1/weir";
        String mean = "SQLite, one caller, mean latency: Weir / bare UPSERT";
        bar(mean, alone, "sqlite/hot, 1/bare", Load.Result::mean, " ×", 1.2, false);
        // SQLite's busy handler sleeps for at least a millisecond.
        String slowest = "SQLite, one caller, p99.9: less than the busy handler's shortest sleep";
        bar(slowest, alone, null, result -> result.p999() / 1e3, " ms", 1, false);
        String check = "device-ingest on SQLite, one caller, p95 of a check";
        bar(check, "sqlite/ingest, 1/weir", null, result -> result.p95() / 1e3, " ms", 0.3, false);
        String checks = "device-ingest on SQLite, 64 callers, checks";
        bar(checks, "sqlite/ingest, 64/weir", null, Load.Result::perSecond, "/s", 20_000, true);
        String onPostgres = "device-ingest on PostgreSQL, 32 callers, checks";
        bar(onPostgres, "pg/ingest, 32/weir", null, Load.Result::perSecond, "/s", 10_000, true);
    }

    /** Compares the decisions a second with the bare statement's, on the hot key and on many keys. */
    private void compareWithBare(String database, String id, int callers, double hot, double many) {
        for (boolean isHot : new boolean[] {true, false}) {
            String place = id + (isHot ? "/hot, " : "/10k, ") + callers + "/";
            for (boolean isCalledBack : new boolean[] {false, true}) {
                String what = database + (isHot ? ", hot key, " : ", 10,000 keys, ") + callers + " callers "
                        + (isCalledBack ? "with callbacks" : "in threads") + ": Weir / bare UPSERT";
                String own = place + (isCalledBack ? "weir, called back" : "weir");
                bar(what, own, place + "bare", Load.Result::perSecond, " ×", isHot ? hot : many, true);
            }
        }
    }

    /** @param peer the divisor of the ratio; null to judge the figure itself */
    private void bar(
            String what,
            String own,
            @Nullable String peer,
            ToDoubleFunction<Load.Result> figure,
            String unit,
            double bound,
            boolean isLeast) {
        double value = figures.median(own, figure) / (peer == null ? 1 : figures.median(peer, figure));
        if (!Double.isNaN(value)) {
            bars.add(List.of(
                    what,
                    (isLeast ? "≥ " : "≤ ") + round(bound) + unit,
                    round(value) + unit,
                    rounds(peer == null ? figures.turns(own, figure) : figures.ratios(own, peer, figure)),
                    (isLeast ? value >= bound : value <= bound) ? "met" : "**not met**"));
        }
    }

    private static String rounds(DoubleStream values) {
        return values.mapToObj(SqlReport::round).collect(Collectors.joining(", "));
    }

    private static String round(double value) {
        return number(value >= 1_000 ? "%,.0f" : "%.2f", value);
    }
}

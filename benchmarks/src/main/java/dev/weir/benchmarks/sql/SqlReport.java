package dev.weir.benchmarks.sql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The figures of the SQL benchmark as a page, and its bars. */
final class SqlReport {
    private final Map<String, List<Load.Result>> results;

    SqlReport(Map<String, List<Load.Result>> results) {
        this.results = results;
    }

    /** A ratio that was promised. */
    private record Bar(String what, String own, String peer, double atLeast) {}

    private static final List<Bar> BARS = List.of(
            new Bar(
                    "PostgreSQL, hot key, 32 callers, durable: Weir / bare UPSERT",
                    "pg/hot, 32/weir",
                    "pg/hot, 32/bare",
                    15),
            new Bar(
                    "PostgreSQL, hot key, 32 callers, durable: Weir / Bucket4j, advisory locks",
                    "pg/hot, 32/weir",
                    "pg/hot, 32/bucket4j advisory",
                    20),
            new Bar(
                    "PostgreSQL, hot key, 32 callers, durable: Weir / Bucket4j, select for update",
                    "pg/hot, 32/weir",
                    "pg/hot, 32/bucket4j select",
                    20),
            new Bar(
                    "PostgreSQL, 10,000 keys, 32 callers, durable: Weir / bare UPSERT",
                    "pg/10k, 32/weir",
                    "pg/10k, 32/bare",
                    3),
            new Bar(
                    "SQLite, hot key, 64 callers who wait: Weir / bare UPSERT",
                    "sqlite/hot, 64/weir",
                    "sqlite/hot, 64/bare",
                    4),
            new Bar(
                    "SQLite, hot key, 64 callers who are called back: Weir / bare UPSERT",
                    "sqlite/hot, 64/weir, called back",
                    "sqlite/hot, 64/bare",
                    4),
            new Bar(
                    "SQLite, 10,000 keys, 64 callers who wait: Weir / bare UPSERT",
                    "sqlite/10k, 64/weir",
                    "sqlite/10k, 64/bare",
                    1.5),
            new Bar(
                    "SQLite, 10,000 keys, 64 callers who are called back: Weir / bare UPSERT",
                    "sqlite/10k, 64/weir, called back",
                    "sqlite/10k, 64/bare",
                    1.5));

    String markdown() {
        StringBuilder page = new StringBuilder();
        page.append("| decisions a second | median | rounds |\n| --- | ---: | --- |\n");
        results.forEach((name, rounds) -> {
            List<String> all = new ArrayList<>();
            rounds.forEach(round -> all.add(thousands(round.perSecond())));
            page.append("| ").append(name).append(" | ").append(thousands(median(rounds, Load.Result::perSecond)));
            page.append(" | ").append(String.join(", ", all)).append(" |\n");
        });
        page.append("\n| one caller, µs | mean | p50 | p99 | p99.9 |\n| --- | ---: | ---: | ---: | ---: |\n");
        results.forEach((name, rounds) -> {
            if (rounds.get(0).mean() > 0) {
                page.append("| ").append(name);
                for (ToDoubleFunction<Load.Result> figure : List.<ToDoubleFunction<Load.Result>>of(
                        Load.Result::mean, Load.Result::p50, Load.Result::p99, Load.Result::p999)) {
                    page.append(" | ").append(String.format(Locale.ROOT, "%.1f", median(rounds, figure) / 1_000));
                }
                page.append(" |\n");
            }
        });
        page.append("\n| bar | promised | measured | rounds | |\n| --- | ---: | ---: | --- | --- |\n");
        for (Bar bar : BARS) {
            line(page, bar.what, "≥ " + bar.atLeast, bar.own, bar.peer, Load.Result::perSecond, bar.atLeast, true);
        }
        line(
                page,
                "SQLite, one caller, mean latency: Weir / bare UPSERT",
                "≤ 1.2",
                "sqlite/hot, 1/weir",
                "sqlite/hot, 1/bare",
                Load.Result::mean,
                1.2,
                false);
        return page.toString();
    }

    private void line(
            StringBuilder page,
            String what,
            String promised,
            String own,
            String peer,
            ToDoubleFunction<Load.Result> figure,
            double bound,
            boolean isLeast) {
        List<Load.Result> mine = results.get(own);
        List<Load.Result> others = results.get(peer);
        if (mine == null || others == null) {
            return;
        }
        double ratio = median(mine, figure) / median(others, figure);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < mine.size(); i++) {
            all.add(String.format(
                    Locale.ROOT, "%.2f", figure.applyAsDouble(mine.get(i)) / figure.applyAsDouble(others.get(i))));
        }
        boolean met = isLeast ? ratio >= bound : ratio <= bound;
        page.append(String.format(
                Locale.ROOT,
                "| %s | %s | %.2f × | %s | %s |%n",
                what,
                promised,
                ratio,
                String.join(", ", all),
                met ? "met" : "**not met**"));
    }

    private static double median(List<Load.Result> rounds, ToDoubleFunction<Load.Result> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        return Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElse(0);
    }

    private static String thousands(double number) {
        return String.format(Locale.ROOT, "%,.0f", number);
    }
}

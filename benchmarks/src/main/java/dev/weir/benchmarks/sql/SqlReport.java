package dev.weir.benchmarks.sql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The figures of the SQL benchmark as a page, and its bars. */
final class SqlReport {
    private final Map<String, List<Load.Result>> results;

    SqlReport(Map<String, List<Load.Result>> results) {
        this.results = results;
    }

    /**
     * What was promised.
     *
     * @param figure what is compared
     * @param peer to whose figure the ratio is; null for the figure itself
     */
    private record Bar(
            String what,
            ToDoubleFunction<Load.Result> figure,
            String unit,
            String own,
            @Nullable String peer,
            double bound,
            boolean isLeast) {

        static Bar faster(String what, String own, String peer, double times) {
            return new Bar(what, Load.Result::perSecond, " ×", own, peer, times, true);
        }

        static Bar atLeast(String what, String own, double perSecond) {
            return new Bar(what, Load.Result::perSecond, "/s", own, null, perSecond, true);
        }

        boolean isMet(double value) {
            return isLeast ? value >= bound : value <= bound;
        }
    }

    private static final List<Bar> BARS = List.of(
            Bar.faster(
                    "PostgreSQL, hot key, 32 callers who wait: Weir / bare UPSERT",
                    "pg/hot, 32/weir",
                    "pg/hot, 32/bare",
                    15),
            Bar.faster(
                    "PostgreSQL, hot key, 32 callers who are called back: Weir / bare UPSERT",
                    "pg/hot, 32/weir, called back",
                    "pg/hot, 32/bare",
                    15),
            Bar.faster(
                    "PostgreSQL, hot key, 32 callers who wait: Weir / Bucket4j, advisory locks",
                    "pg/hot, 32/weir",
                    "pg/hot, 32/bucket4j advisory",
                    20),
            Bar.faster(
                    "PostgreSQL, hot key, 32 callers who wait: Weir / Bucket4j, select for update",
                    "pg/hot, 32/weir",
                    "pg/hot, 32/bucket4j select",
                    20),
            Bar.faster(
                    "PostgreSQL, 10,000 keys, 32 callers who wait: Weir / bare UPSERT",
                    "pg/10k, 32/weir",
                    "pg/10k, 32/bare",
                    3),
            Bar.faster(
                    "PostgreSQL, 10,000 keys, 32 callers who are called back: Weir / bare UPSERT",
                    "pg/10k, 32/weir, called back",
                    "pg/10k, 32/bare",
                    3),
            Bar.faster(
                    "SQLite, hot key, 64 callers who wait: Weir / bare UPSERT",
                    "sqlite/hot, 64/weir",
                    "sqlite/hot, 64/bare",
                    4),
            Bar.faster(
                    "SQLite, hot key, 64 callers who are called back: Weir / bare UPSERT",
                    "sqlite/hot, 64/weir, called back",
                    "sqlite/hot, 64/bare",
                    4),
            Bar.faster(
                    "SQLite, 10,000 keys, 64 callers who wait: Weir / bare UPSERT",
                    "sqlite/10k, 64/weir",
                    "sqlite/10k, 64/bare",
                    1.5),
            Bar.faster(
                    "SQLite, 10,000 keys, 64 callers who are called back: Weir / bare UPSERT",
                    "sqlite/10k, 64/weir, called back",
                    "sqlite/10k, 64/bare",
                    1.5),
            new Bar(
                    "SQLite, one caller, mean latency: Weir / bare UPSERT",
                    Load.Result::mean,
                    " ×",
                    "sqlite/hot, 1/weir",
                    "sqlite/hot, 1/bare",
                    1.2,
                    false),
            // SQLite's busy handler sleeps for a millisecond at least.
            new Bar(
                    "SQLite, one caller, p99.9: less than the busy handler's shortest sleep",
                    result -> result.p999() / 1e6,
                    " ms",
                    "sqlite/hot, 1/weir",
                    null,
                    1,
                    false),
            new Bar(
                    "D10: device-ingest on SQLite, one caller, p95 of a check",
                    result -> result.p95() / 1e6,
                    " ms",
                    "sqlite/ingest, 1/weir",
                    null,
                    0.3,
                    false),
            Bar.atLeast("D10: device-ingest on SQLite, 64 callers, checks", "sqlite/ingest, 64/weir", 20_000),
            Bar.atLeast("D10: device-ingest on PostgreSQL, 32 callers, checks", "pg/ingest, 32/weir", 10_000));

    String markdown() {
        StringBuilder page = new StringBuilder();
        page.append("| decisions a second | median | rounds |\n| --- | ---: | --- |\n");
        results.forEach((name, rounds) -> {
            List<String> all = new ArrayList<>();
            rounds.forEach(round -> all.add(thousands(round.perSecond())));
            page.append("| ").append(name).append(" | ").append(thousands(median(rounds, Load.Result::perSecond)));
            page.append(" | ").append(String.join(", ", all)).append(" |\n");
        });
        page.append(
                "\n| one caller, µs | mean | p50 | p95 | p99 | p99.9 |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
        results.forEach((name, rounds) -> {
            if (rounds.get(0).mean() > 0) {
                page.append("| ").append(name);
                for (ToDoubleFunction<Load.Result> figure : List.<ToDoubleFunction<Load.Result>>of(
                        Load.Result::mean, Load.Result::p50, Load.Result::p95, Load.Result::p99, Load.Result::p999)) {
                    page.append(" | ").append(String.format(Locale.ROOT, "%.1f", median(rounds, figure) / 1_000));
                }
                page.append(" |\n");
            }
        });
        page.append("\n| bar | promised | measured | rounds | |\n| --- | ---: | ---: | --- | --- |\n");
        BARS.forEach(bar -> judge(page, bar));
        return page.toString();
    }

    private void judge(StringBuilder page, Bar bar) {
        List<Load.Result> own = results.get(bar.own);
        List<Load.Result> peer = results.get(bar.peer == null ? bar.own : bar.peer);
        if (own == null || peer == null) {
            return;
        }
        ToDoubleFunction<Load.Result> figure = bar.figure;
        double value = median(own, figure) / (bar.peer == null ? 1 : median(peer, figure));
        List<String> all = new ArrayList<>();
        for (int i = 0; i < own.size(); i++) {
            all.add(number(
                    figure.applyAsDouble(own.get(i)) / (bar.peer == null ? 1 : figure.applyAsDouble(peer.get(i)))));
        }
        page.append(String.format(
                Locale.ROOT,
                "| %s | %s | %s%s | %s | %s |%n",
                bar.what,
                (bar.isLeast ? "≥ " : "≤ ") + number(bar.bound) + bar.unit,
                number(value),
                bar.unit,
                String.join(", ", all),
                bar.isMet(value) ? "met" : "**not met**"));
    }

    private static String number(double value) {
        return value >= 1_000 ? thousands(value) : String.format(Locale.ROOT, "%.2f", value);
    }

    private static double median(List<Load.Result> rounds, ToDoubleFunction<Load.Result> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        return Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElse(0);
    }

    private static String thousands(double number) {
        return String.format(Locale.ROOT, "%,.0f", number);
    }
}

package dev.weir.cli.simulation;

import dev.weir.cli.log.LogFiles;
import dev.weir.cli.log.LoggedRequest;
import dev.weir.cli.log.TimeOrder;
import dev.weir.cli.terminal.BarText;
import dev.weir.cli.terminal.Columns;
import dev.weir.cli.terminal.Style;
import dev.weir.engine.config.Rate;
import dev.weir.server.Logs;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The result of a simulation as lines for people. */
public final class SimulationText {
    static final int MOST_IDENTITIES = 10;
    private static final int LONGEST_IDENTITY = 100;
    private static final int MOST_HOURS = 48;
    private static final int BAR_WIDTH = 40;
    /** The share of refusals for which a rate is proposed. */
    static final double ACCEPTABLE = 0.001;

    private static final DateTimeFormatter HOUR =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Simulation simulation;
    private final Style style;
    private final List<String> lines = new ArrayList<>();

    private SimulationText(Simulation simulation, Style style) {
        this.simulation = simulation;
        this.style = style;
    }

    /** The lines of a simulation that has ended. */
    public static List<String> lines(Simulation simulation, LogFiles log, Style style) {
        SimulationText text = new SimulationText(simulation, style);
        text.summary(log);
        text.limits();
        text.use();
        if (simulation.refused() > 0) {
            text.hours();
            text.identities();
        }
        return text.lines;
    }

    private void summary(LogFiles log) {
        long requests = simulation.requests();
        lines.add(number(requests) + (requests == 1 ? " request" : " requests") + " from " + simulation.first() + " to "
                + simulation.last());
        for (TimeOrder file : log.files()) {
            String where = log.files().size() == 1 ? "" : " of " + file.file().name();
            leftOut(file.file().skipped(), "not understood", file.file().firstSkipped(), where);
            leftOut(file.late(), "too late to be sorted", file.firstLate(), where);
        }
        if (log.sorted() > 0) {
            lines.add(number(log.sorted()) + (log.sorted() == 1 ? " line was" : " lines were")
                    + " out of order and sorted");
        }
        if (simulation.rejected() > 0) {
            lines.add(number(simulation.rejected()) + " requests would be answered with 400, before any limit");
        }
        String denied = "denied " + number(simulation.refused()) + " (" + share(simulation.refused(), requests) + ")";
        lines.add("allowed " + number(simulation.allowed()) + ", "
                + (simulation.refused() > 0 ? style.red(denied) : denied) + ", not limited "
                + number(simulation.unlimited()));
    }

    private void leftOut(long count, String why, long first, String where) {
        if (count > 0) {
            lines.add(number(count) + (count == 1 ? " line was " : " lines were ") + why
                    + " and left out, the first in line " + first + where);
        }
    }

    private void limits() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(headings("LIMIT", "ASKED", "WOULD DENY", "SHARE", "IDENTITIES DENIED", "FIRST DENIED", ""));
        for (LimitUse limit : simulation.limits()) {
            Long first = limit.firstRefusalMicros();
            rows.add(List.of(
                    limit.rule().name(),
                    number(limit.asked()),
                    limit.refused() > 0 ? style.red(number(limit.refused())) : "0",
                    share(limit.refused(), limit.asked()),
                    limit.asked() == 0
                            ? ""
                            : number(limit.identitiesRefused()) + " of " + number(limit.identities())
                                    + (limit.withoutKey() > 0 ? " counted" : ""),
                    first == null ? "" : LoggedRequest.instant(first).toString(),
                    limit.rule().shadow() ? "shadow: reports only" : ""));
        }
        lines.add("");
        lines.addAll(Columns.aligned(rows));
    }

    /** The distribution of the keys' use. */
    private void use() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(headings(
                "MOST USED IN A PERIOD, BY IDENTITY", "RATE", "P50", "P95", "P99", "MAX", "DENIES AT MOST 0.1 %"));
        for (LimitUse limit : simulation.limits()) {
            for (RateUse rate : limit.rates()) {
                double[] quantiles = rate.quantiles();
                Rate enough = rate.refusing(ACCEPTABLE);
                rows.add(List.of(
                        limit.rule().name() + (limit.rule().by() == null ? "" : " " + rate.row()),
                        rate.rate().toString(),
                        percent(quantiles[0]),
                        percent(quantiles[1]),
                        percent(quantiles[2]),
                        percent(quantiles[3]),
                        enough == null ? "" : "about " + enough));
            }
        }
        if (rows.size() > 1) {
            lines.add("");
            lines.addAll(Columns.aligned(rows));
        }
    }

    private String percent(double share) {
        String text = share >= 100 ? number(Math.round(share)) + " times" : Math.round(share * 100) + " %";
        return share > 1 ? style.red(text) : text;
    }

    private void hours() {
        Map<Long, HourCounts.Hour> hours = simulation.hours().byHour();
        long most = hours.values().stream()
                .mapToLong(HourCounts.Hour::refused)
                .max()
                .orElse(1);
        List<List<String>> rows = new ArrayList<>();
        rows.add(headings("DENIED BY HOUR (UTC)", "", "SHARE", ""));
        int skipped = Math.max(0, hours.size() - MOST_HOURS);
        hours.entrySet().stream().skip(skipped).forEach(entry -> {
            HourCounts.Hour hour = Objects.requireNonNull(entry.getValue());
            rows.add(List.of(
                    HOUR.format(Instant.ofEpochSecond(Objects.requireNonNull(entry.getKey()) * 3_600)),
                    number(hour.refused()),
                    share(hour.refused(), hour.asked()),
                    style.red(BarText.of((double) hour.refused() / Math.max(1, most), BAR_WIDTH))));
        });
        lines.add("");
        lines.addAll(Columns.aligned(rows));
        if (skipped > 0) {
            lines.add("These are the last " + MOST_HOURS + " of " + hours.size() + " hours; --html shows all.");
        }
    }

    private void identities() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(headings("MOST DENIED", "TIMES"));
        simulation
                .mostRefused(MOST_IDENTITIES)
                .forEach(refused -> rows.add(List.of(printable(refused.identity()), number(refused.times()))));
        lines.add("");
        lines.addAll(Columns.aligned(rows));
    }

    private List<String> headings(String... names) {
        return List.of(names).stream().map(style::bold).toList();
    }

    static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    static String share(long part, long whole) {
        return whole == 0 ? "" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }

    /** Escapes text of clients, which a terminal could interpret. */
    static String printable(String text) {
        int end = text.offsetByCodePoints(0, Math.min(LONGEST_IDENTITY, text.codePointCount(0, text.length())));
        return Logs.printable(text.substring(0, end)) + (end < text.length() ? "…" : "");
    }
}

package dev.weir.cli.simulation;

import dev.weir.cli.log.LoggedRequest;
import dev.weir.engine.config.Rate;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The result of a simulation as one HTML page that needs nothing else: no script, no other file. */
public final class SimulationPage {
    private static final int CHART_WIDTH = 960;
    private static final int CHART_HEIGHT = 180;
    private static final int MOST_BARS = 240;
    private static final int MOST_IDENTITIES = 50;
    private static final DateTimeFormatter HOUR =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final StringBuilder html = new StringBuilder(16_384);
    private final Simulation simulation;

    private SimulationPage(Simulation simulation) {
        this.simulation = simulation;
    }

    /** The page of a simulation that has ended, and of a comparison if there is one. */
    public static String of(Simulation simulation, @Nullable Comparison comparison, String configuration) {
        SimulationPage page = new SimulationPage(simulation);
        page.head(configuration);
        page.summary();
        page.comparison(comparison);
        page.section("Requests, and those denied, by hour (UTC)");
        page.chart(simulation.hours(), "all limits");
        page.limits();
        page.use();
        page.charts();
        page.mostRefused();
        return page.html.append("</main></body></html>\n").toString();
    }

    private void head(String configuration) {
        html.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
                .append("<title>Weir simulation: ")
                .append(escape(configuration))
                .append("</title><style>")
                .append(style())
                .append("</style></head><body><main><h1>What ")
                .append(escape(configuration))
                .append(" would deny</h1>");
    }

    private static String style() {
        try (InputStream input = SimulationPage.class.getResourceAsStream("simulation.css")) {
            return new String(Objects.requireNonNull(input).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("simulation.css is not in the jar", e);
        }
    }

    private void summary() {
        html.append("<p>")
                .append(SimulationText.number(simulation.requests()))
                .append(" requests from ")
                .append(simulation.first())
                .append(" to ")
                .append(simulation.last())
                .append(".</p><dl>");
        figure("allowed", simulation.allowed(), "");
        figure("denied", simulation.refused(), SimulationText.share(simulation.refused(), simulation.requests()));
        figure("not limited", simulation.unlimited(), "");
        html.append("</dl>");
        if (!simulation.configuration().enabled()) {
            html.append("<p class=\"note\">The configuration is not enabled: everything passes untouched.</p>");
        }
    }

    private void figure(String name, long count, String remark) {
        html.append("<div><dt>")
                .append(name)
                .append("</dt><dd>")
                .append(SimulationText.number(count))
                .append(remark.isEmpty() ? "" : " <small>" + remark + "</small>")
                .append("</dd></div>");
    }

    private void comparison(@Nullable Comparison comparison) {
        if (comparison == null) {
            return;
        }
        section("Against the other configuration");
        html.append("<dl>");
        figure("denied before", comparison.before().refused(), "");
        figure("newly denied", comparison.moreRefused(), "");
        figure("no longer denied", comparison.fewerRefused(), "");
        html.append("</dl>");
    }

    private void section(String title) {
        html.append("<h2>").append(escape(title)).append("</h2>");
    }

    private void limits() {
        section("Limits");
        header("Limit", "Asked", "Would deny", "Share", "Identities", "of them denied", "First denied");
        for (LimitUse limit : simulation.limits()) {
            Long first = limit.firstRefusalMicros();
            row(
                    limit.rule().name() + (limit.rule().shadow() ? " (shadow)" : ""),
                    SimulationText.number(limit.asked()),
                    SimulationText.number(limit.refused()),
                    SimulationText.share(limit.refused(), limit.asked()),
                    SimulationText.number(limit.identities()),
                    SimulationText.number(limit.identitiesRefused()),
                    first == null ? "" : LoggedRequest.instant(first).toString());
        }
        html.append("</tbody></table></div>");
    }

    private void use() {
        section("Most used in one period, by identity");
        html.append(
                "<p>As a share of what the limit allows. The last column is about the rate that denies at most 0.1 %.</p>");
        header("Limit", "Rate", "p50", "p95", "p99", "max", "denies ≤ 0.1 %");
        for (LimitUse limit : simulation.limits()) {
            for (RateUse rate : limit.rates()) {
                double[] quantiles = rate.quantiles();
                Rate enough = rate.refusing(SimulationText.ACCEPTABLE);
                row(
                        limit.rule().name() + (limit.rule().by() == null ? "" : " " + rate.row()),
                        rate.rate().toString(),
                        percent(quantiles[0]),
                        percent(quantiles[1]),
                        percent(quantiles[2]),
                        percent(quantiles[3]),
                        enough == null ? "" : enough.toString());
            }
        }
        html.append("</tbody></table></div>");
    }

    private void charts() {
        for (LimitUse limit : simulation.limits()) {
            if (limit.refused() > 0) {
                section("Denied by " + limit.rule().name());
                chart(limit.hours(), limit.rule().name());
            }
        }
    }

    private void mostRefused() {
        List<Simulation.Refused> most = simulation.mostRefused(MOST_IDENTITIES);
        if (!most.isEmpty()) {
            section("Most denied");
            header("Identity", "Times");
            most.forEach(refused ->
                    row(SimulationText.printable(refused.identity()), SimulationText.number(refused.times())));
            html.append("</tbody></table></div>");
        }
    }

    private static String percent(double share) {
        return SimulationText.number(Math.round(share * 100)) + " %";
    }

    private void header(String... names) {
        html.append("<div class=\"table\"><table><thead><tr>");
        for (String name : names) {
            html.append("<th scope=\"col\">").append(escape(name)).append("</th>");
        }
        html.append("</tr></thead><tbody>");
    }

    private void row(String... cells) {
        html.append("<tr>");
        for (int i = 0; i < cells.length; i++) {
            html.append(i == 0 ? "<th scope=\"row\">" : "<td>")
                    .append(escape(cells[i]))
                    .append(i == 0 ? "</th>" : "</td>");
        }
        html.append("</tr>");
    }

    /** The requests and refusals of one bar: an hour, or several if there are many. */
    private record Bar(long firstHour, long asked, long refused) {}

    /** A bar for each hour, the refused part in another colour; several hours are one bar if there are many. */
    private void chart(HourCounts counts, String name) {
        List<Bar> bars = bars(counts);
        if (bars.isEmpty()) {
            return;
        }
        long most = bars.stream().mapToLong(Bar::asked).max().orElse(1);
        double width = (double) CHART_WIDTH / bars.size();
        html.append("<figure><svg viewBox=\"0 0 ")
                .append(CHART_WIDTH)
                .append(' ')
                .append(CHART_HEIGHT)
                .append("\" role=\"img\" aria-label=\"Requests, and those denied, over time, ")
                .append(escape(name))
                .append("\" preserveAspectRatio=\"none\">");
        for (int i = 0; i < bars.size(); i++) {
            Bar bar = bars.get(i);
            double asked = (double) bar.asked * CHART_HEIGHT / most;
            double refused = (double) bar.refused * CHART_HEIGHT / most;
            String title = HOUR.format(Instant.ofEpochSecond(bar.firstHour * 3_600)) + ": "
                    + SimulationText.number(bar.asked) + " requests, " + SimulationText.number(bar.refused) + " denied";
            html.append("<g><title>").append(title).append("</title>");
            rectangle("asked", i * width, width, asked);
            rectangle("refused", i * width, width, refused);
            html.append("</g>");
        }
        html.append("</svg><figcaption>")
                .append(HOUR.format(Instant.ofEpochSecond(bars.get(0).firstHour * 3_600)))
                .append(" to ")
                .append(HOUR.format(Instant.ofEpochSecond(bars.get(bars.size() - 1).firstHour * 3_600)))
                .append("; the tallest bar is ")
                .append(SimulationText.number(most))
                .append(" requests. <span class=\"key asked\"></span> requests <span class=\"key refused\"></span>"
                        + " denied</figcaption></figure>");
    }

    private void rectangle(String kind, double x, double width, double height) {
        if (height > 0) {
            double visible = Math.max(1, height);
            html.append(String.format(
                    Locale.ROOT,
                    "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>",
                    kind,
                    x,
                    CHART_HEIGHT - visible,
                    Math.max(0.5, width * 0.9),
                    visible));
        }
    }

    private static List<Bar> bars(HourCounts counts) {
        Map<Long, HourCounts.Hour> hours = counts.byHour();
        List<Bar> bars = new ArrayList<>();
        if (hours.isEmpty()) {
            return bars;
        }
        long first = hours.keySet().iterator().next();
        long last = first;
        for (long hour : hours.keySet()) {
            last = hour;
        }
        long step = (last - first) / MOST_BARS + 1;
        for (long hour = first; hour <= last; hour += step) {
            long asked = 0;
            long refused = 0;
            for (long each = hour; each < hour + step; each++) {
                HourCounts.Hour found = hours.get(each);
                asked += found == null ? 0 : found.asked();
                refused += found == null ? 0 : found.refused();
            }
            bars.add(new Bar(hour, asked, refused));
        }
        return bars;
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}

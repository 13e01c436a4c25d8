package dev.weir.benchmarks.chart;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A chart of horizontal bars as SVG, in light and dark colours. All panels have one scale.
 *
 * @param title what was measured
 * @param unit the unit, and whether less or more is better
 */
record BarChart(String title, String unit, List<Panel> panels) {
    private static final int WIDTH = 760;
    private static final int LABELS = 236;
    private static final int LONGEST_BAR = 430;
    private static final int ROW = 24;
    private static final int TOP = 62;
    private static final int PANEL_TITLE = 30;

    private static final String STYLE = """
            <style>
            text { font: 13px system-ui, sans-serif; fill: #24292f }
            .paper { fill: #fff; stroke: #d0d7de }
            .title { font-size: 15px; font-weight: 600 }
            .panel { font-weight: 600 }
            .muted { font-size: 11px; fill: #59636e }
            .weir { fill: #0550ae }
            .peer { fill: #afb8c1 }
            .bound { fill: none; stroke: #8c959f; stroke-dasharray: 3 2 }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 }
            .paper { fill: #0d1117; stroke: #30363d }
            .muted { fill: #9198a1 }
            .weir { fill: #58a6ff }
            .peer { fill: #6e7681 }
            .bound { stroke: #8b949e }
            }
            </style>
            """;

    /** Bars that are compared with each other. */
    record Panel(String title, List<Bar> bars) {}

    record Bar(String label, Kind kind, double value, ResultFiles.Origin origin) {}

    /** How a bar is filled. */
    enum Kind {
        WEIR,
        PEER,
        /** The same work without a limiter's features, for comparison. */
        BOUND
    }

    String svg() {
        double most = panels.stream()
                .flatMap(panel -> panel.bars.stream())
                .mapToDouble(Bar::value)
                .max()
                .orElse(1);
        StringBuilder body = new StringBuilder();
        int y = TOP;
        for (Panel panel : panels) {
            if (!panel.title.isEmpty()) {
                body.append(text(16, y + 16, "panel", panel.title));
                y += PANEL_TITLE;
            }
            for (Bar bar : panel.bars) {
                body.append(row(bar, y, most));
                y += ROW;
            }
            y += 8;
        }
        for (String line : origins()) {
            y += 16;
            body.append(text(16, y, "muted", line));
        }
        int height = y + 16;
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="t d">
                <title id="t">%s</title>
                <desc id="d">%s</desc>
                %s<rect class="paper" x=".5" y=".5" width="%d" height="%d" rx="6"/>
                %s%s%s</svg>
                """.formatted(
                        WIDTH,
                        height,
                        escaped(title),
                        escaped(description()),
                        STYLE,
                        WIDTH - 1,
                        height - 1,
                        text(16, 28, "title", title),
                        text(16, 48, "muted", unit),
                        body);
    }

    private static String row(Bar bar, int y, double most) {
        int length = (int) Math.max(1, Math.round(bar.value / most * LONGEST_BAR));
        return "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>".formatted(LABELS, y + 15, escaped(bar.label))
                + "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"16\"/>"
                        .formatted(bar.kind.name().toLowerCase(Locale.ROOT), LABELS + 10, y + 2, length)
                + text(LABELS + 18 + length, y + 15, "value", number(bar.value));
    }

    /** The bars as a sentence, for readers that do not see them. */
    private String description() {
        StringBuilder all = new StringBuilder(unit).append('.');
        for (Panel panel : panels) {
            List<String> bars = new ArrayList<>();
            panel.bars.forEach(bar -> bars.add(bar.label + " " + number(bar.value)));
            all.append(' ')
                    .append(panel.title.isEmpty() ? "" : panel.title + ": ")
                    .append(String.join(", ", bars))
                    .append('.');
        }
        return all.toString();
    }

    /** When, where and how the figures were measured: two lines for each run. */
    private List<String> origins() {
        Set<ResultFiles.Origin> origins = new LinkedHashSet<>();
        panels.forEach(panel -> panel.bars.forEach(bar -> origins.add(bar.origin)));
        List<String> lines = new ArrayList<>();
        origins.forEach(origin -> {
            lines.add("Measured " + origin.date() + ": " + origin.command());
            lines.add("on " + origin.machine());
        });
        return lines;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 1_000 ? "%,.0f" : "%.1f", value);
    }

    private static String text(int x, int y, String style, String text) {
        return "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>%n".formatted(style, x, y, escaped(text));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}

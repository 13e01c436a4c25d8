package dev.weir.cli;

import dev.weir.cli.terminal.Style;
import dev.weir.engine.config.Configuration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a terminal shows when the server has started.
 *
 * @param url where the server listens
 * @param source the name of the configuration
 * @param configuration the configuration in force
 * @param hasAdmin whether the admin API is on
 */
record StartCard(String url, String source, Configuration configuration, boolean hasAdmin) {
    private static final int LABEL_WIDTH = 12;

    List<String> lines(Style style) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        row(lines, style, "dashboard", style.cyan(url + "/"));
        row(lines, style, "limits from", source + limits());
        row(lines, style, "store", configuration.shownStore());
        if (!configuration.enabled()) {
            row(lines, style, "limiting", style.yellow("off (enabled: false): everything passes"));
        }
        row(
                lines,
                style,
                "admin API",
                hasAdmin ? "on, for holders of a token" : "off; --admin-token-file FILE turns it on");
        lines.add("");
        lines.add("  First request, in another terminal:");
        lines.add("    " + style.bold("curl -s " + quoted(url + "/v1/check") + " -d " + quoted(firstBody())));
        lines.add("  Ctrl-C stops.");
        lines.add("");
        return lines;
    }

    private static void row(List<String> lines, Style style, String label, String value) {
        lines.add("  " + style.dim(label + " ".repeat(Math.max(1, LABEL_WIDTH - label.length()))) + " " + value);
    }

    private String limits() {
        int count = configuration.limits().size();
        return " (" + count + (count == 1 ? " limit: " : " limits: ") + configuration.limitNames() + ")";
    }

    /** A body with the attributes of the first limit's key. */
    private String firstBody() {
        StringBuilder attributes = new StringBuilder();
        if (!configuration.limits().isEmpty()) {
            configuration.limits().get(0).per().forEach(part -> {
                String name = part.get(0);
                boolean isDerived = configuration.classify().stream()
                        .anyMatch(rule -> rule.set().equals(name));
                if (!isDerived) {
                    attributes
                            .append(attributes.isEmpty() ? "" : ",")
                            .append('"')
                            .append(name)
                            .append("\":\"")
                            .append(example(name))
                            .append('"');
                }
            });
        }
        return "{\"attributes\":{" + (attributes.isEmpty() ? "\"user\":\"u1\"" : attributes) + "}}";
    }

    private static String example(String attribute) {
        return switch (attribute) {
            case "ip" -> "203.0.113.7";
            case "path" -> "/api/x";
            case "method" -> "GET";
            case "channel" -> "http";
            default -> attribute.charAt(0) + "1";
        };
    }

    /** A text in single quotes, so that every shell takes it unchanged: zsh expands ? and { } otherwise. */
    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}

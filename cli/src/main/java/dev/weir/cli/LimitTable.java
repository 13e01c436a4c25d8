package dev.weir.cli;

import dev.weir.DurationText;
import dev.weir.SlidingWindow;
import dev.weir.cli.terminal.Columns;
import dev.weir.engine.config.Algorithm;
import dev.weir.engine.config.ClassifyRule;
import dev.weir.engine.config.Condition;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.CostRule;
import dev.weir.engine.config.FailurePolicy;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.MissingPolicy;
import dev.weir.engine.config.PenaltyRule;
import dev.weir.engine.config.Rate;
import dev.weir.engine.event.AlertRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Formats a configuration's limits as a text table. */
final class LimitTable {
    private static final List<String> HEADINGS = List.of("LIMIT", "PER", "RATE", "ALGORITHM", "REMARKS");

    private LimitTable() {}

    static List<String> lines(Configuration configuration) {
        List<String> lines = new ArrayList<>();
        int count = configuration.limits().size();
        lines.add(count + (count == 1 ? " limit" : " limits") + ", store " + configuration.shownStore()
                + (configuration.enabled() ? "" : ", not enabled: everything passes untouched"));
        if (count > 0) {
            List<List<String>> rows = new ArrayList<>(List.of(HEADINGS));
            configuration.limits().forEach(limit -> rows.addAll(rows(limit)));
            lines.add("");
            lines.addAll(Columns.aligned(rows));
        }
        List<String> others = others(configuration);
        if (!others.isEmpty()) {
            lines.add("");
            lines.addAll(others);
        }
        return lines;
    }

    /** What the configuration has besides limits, one line each. */
    private static List<String> others(Configuration configuration) {
        List<String> lines = new ArrayList<>();
        for (ClassifyRule rule : configuration.classify()) {
            lines.add("classify: " + rule.set() + " from " + rule.from() + ": "
                    + String.join(", ", rule.values().keySet())
                    + (rule.otherwise() == null ? "" : ", else " + rule.otherwise()));
        }
        PenaltyRule penalty = configuration.penalty();
        if (penalty != null) {
            lines.add("penalty: per " + String.join(", ", penalty.per()) + ", backoff "
                    + penalty.backoff().stream().map(DurationText::of).collect(Collectors.joining(", "))
                    + ", reset after " + DurationText.of(penalty.resetAfter())
                    + (penalty.enforce() ? ", enforced" : ", reported only"));
        }
        configuration
                .exempt()
                .forEach((attribute, values) -> lines.add("exempt: " + attribute + " " + String.join(", ", values)));
        configuration.alerts().forEach(alert -> lines.add("alert: " + text(alert)));
        return lines;
    }

    private static String text(AlertRule alert) {
        String within = " within " + DurationText.of(alert.within());
        String webhook = alert.webhook() == null ? "" : ", sent to a webhook";
        if (alert instanceof AlertRule.Violations violations) {
            return violations.count() + " violations" + within
                    + (violations.per().isEmpty() ? "" : " per " + String.join(", ", violations.per())) + webhook;
        }
        return ((AlertRule.DeniedShare) alert).percent() + " % denied" + within + webhook;
    }

    /** Returns one line for each of the limit's rows. */
    private static List<List<String>> rows(LimitRule limit) {
        List<List<String>> rows = new ArrayList<>();
        limit.rates().forEach((row, rates) -> {
            boolean first = rows.isEmpty();
            String rate = rates.stream().map(Rate::toString).collect(Collectors.joining(" and "));
            rows.add(List.of(
                    first ? limit.name() : "",
                    first ? per(limit) : "",
                    limit.by() == null ? rate : rate + " " + row,
                    first ? limit.algorithm().text() : "",
                    first ? remarks(limit) : ""));
        });
        return rows;
    }

    private static String per(LimitRule limit) {
        return limit.per().isEmpty()
                ? "(all together)"
                : limit.per().stream().map(part -> String.join("|", part)).collect(Collectors.joining(", "));
    }

    private static String remarks(LimitRule limit) {
        List<String> remarks = new ArrayList<>();
        if (limit.shadow()) {
            remarks.add("shadow: never denies");
        }
        limit.match().forEach((attribute, condition) -> remarks.add("if " + attribute + " is " + text(condition)));
        if (limit.by() != null) {
            remarks.add("by " + limit.by());
        }
        if (!limit.burst().isEmpty()) {
            remarks.add("burst " + rows(limit.burst()));
        }
        if (limit.cost() instanceof CostRule.Fixed fixed) {
            remarks.add("cost " + fixed.cost());
        } else if (limit.cost() instanceof CostRule.Attribute attribute) {
            remarks.add("cost is " + attribute.name());
        } else if (limit.cost() instanceof CostRule.Rows rows) {
            remarks.add("cost by " + rows.by() + ": " + rows(rows.rows()));
        }
        if (limit.warnPercent() != null) {
            remarks.add("warns at " + limit.warnPercent() + "%");
        }
        if (limit.calendar() != null) {
            remarks.add("turns with the clock of " + limit.calendar());
        }
        if (limit.onMissing() == MissingPolicy.DENY) {
            remarks.add("denies without " + per(limit));
        }
        if (limit.onStoreFailure() == FailurePolicy.ALLOW) {
            remarks.add("allows when the store fails");
        }
        if (limit.algorithm() == Algorithm.SLIDING_WINDOW
                && limit.rates().values().stream()
                        .anyMatch(rates -> rates.stream().anyMatch(rate -> rate.count() > SlidingWindow.EXACT_LIMIT))) {
            remarks.add("above " + SlidingWindow.EXACT_LIMIT + " denies up to 1/" + SlidingWindow.SEGMENTS
                    + " of the period longer");
        }
        return String.join("; ", remarks);
    }

    private static String text(Condition condition) {
        List<String> alternatives = new ArrayList<>(condition.patterns());
        if (condition.orAbsent()) {
            alternatives.add("absent");
        }
        return String.join(" or ", alternatives);
    }

    private static String rows(Map<String, Long> rows) {
        return rows.size() == 1 && rows.containsKey(LimitRule.DEFAULT_ROW)
                ? String.valueOf(rows.get(LimitRule.DEFAULT_ROW))
                : rows.entrySet().stream()
                        .map(row -> row.getValue() + " " + row.getKey())
                        .collect(Collectors.joining(", "));
    }
}

package dev.weir.cli;

import dev.weir.cli.operate.JsonValue;
import dev.weir.cli.terminal.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Decisions and explanations of a server as lines for people. */
final class DecisionText {
    private DecisionText() {}

    /** One line for the decision and one for each limit. */
    static List<String> decision(JsonValue decision, boolean isPeek) {
        List<String> lines = new ArrayList<>();
        boolean isAllowed = decision.get("allowed").isTrue();
        lines.add((isAllowed ? "allowed" : "denied: " + decision.get("message").text())
                + (isPeek ? " (nothing was spent)" : ""));
        for (JsonValue limit : decision.get("limits").items()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  %-16s %s of %s left%s%s",
                    limit.get("name").text(),
                    limit.get("remaining").text(),
                    limit.get("capacity").text(),
                    limit.get("allowed").isTrue() ? "" : ", denied",
                    limit.get("shadow").isTrue() ? " (shadow)" : ""));
        }
        return lines;
    }

    /** Why no limit applies to a request, in a few words. */
    static String whyUnlimited(JsonValue explanation) {
        if (!explanation.get("exempt").isNothing()) {
            return explanation.get("exempt").text() + " is exempt";
        }
        List<JsonValue> skipped = explanation.get("skipped").items();
        if (skipped.isEmpty()) {
            return "the configuration has no limits";
        }
        if (skipped.stream().allMatch(limit -> limit.get("why").text().startsWith("limiting is off"))) {
            return "limiting is off (enabled: false)";
        }
        return "none of " + skipped.size() + (skipped.size() == 1 ? " limit" : " limits")
                + " matched; --explain says why";
    }

    /** The attributes, the limits that apply, and those that do not. */
    static List<String> explanation(JsonValue explanation) {
        List<String> lines = new ArrayList<>();
        lines.add("attributes: " + explanation.get("attributes").pairs());
        if (!explanation.get("exempt").isNothing()) {
            lines.add("exempt: " + explanation.get("exempt").text());
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("LIMIT", "APPLIES", "WHY"));
        for (JsonValue limit : explanation.get("matched").items()) {
            List<String> key =
                    limit.get("key_by").items().stream().map(JsonValue::text).toList();
            JsonValue override = limit.get("override");
            rows.add(List.of(
                    limit.get("limit").text(),
                    limit.get("allowed").isTrue() ? "yes" : "yes, denies",
                    "per " + (key.isEmpty() ? "all together" : String.join(", ", key)) + ", row "
                            + limit.get("row").text() + ", "
                            + limit.get("remaining").text() + " of "
                            + limit.get("capacity").text() + " left"
                            + (limit.get("shadow").isTrue() ? ", shadow" : "")
                            + (override.isNothing() ? "" : ", override " + override.pairs())));
        }
        for (JsonValue limit : explanation.get("skipped").items()) {
            rows.add(List.of(limit.get("limit").text(), "no", limit.get("why").text()));
        }
        if (rows.size() > 1) {
            lines.add("");
            lines.addAll(Columns.aligned(rows));
        }
        return lines;
    }
}

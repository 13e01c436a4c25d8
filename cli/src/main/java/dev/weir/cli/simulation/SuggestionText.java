package dev.weir.cli.simulation;

import dev.weir.cli.terminal.Columns;
import dev.weir.cli.terminal.Style;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import dev.weir.engine.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Proposed rates as lines and as JSON, with what the replay that confirmed them refused. */
public final class SuggestionText {
    private final Suggestion suggestion;
    private final Map<String, LimitUse> replayed = new LinkedHashMap<>();

    /** @param replay a replay with these rates; null if there was none */
    public SuggestionText(Suggestion suggestion, @Nullable Simulation replay) {
        this.suggestion = suggestion;
        if (replay != null) {
            replay.limits().forEach(limit -> replayed.put(limit.rule().name(), limit));
        }
    }

    public List<String> lines(Style style) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(
                style.bold("SUGGESTED FOR"),
                style.bold("RATE"),
                style.bold(replayed.isEmpty() ? "" : "DENIES IN A REPLAY")));
        suggestion.rates().forEach((limit, byRow) -> {
            boolean[] isFirst = {true};
            byRow.forEach((row, rates) -> {
                rows.add(List.of(isFirst[0] ? limit : "", name(row) + text(rates), isFirst[0] ? refused(limit) : ""));
                isFirst[0] = false;
            });
        });
        List<String> lines = new ArrayList<>(Columns.aligned(rows));
        if (replayed.isEmpty()) {
            lines.add("These are estimates: standard input cannot be replayed to confirm them.");
        }
        return lines;
    }

    private static String name(String row) {
        return row.equals(LimitRule.DEFAULT_ROW) ? "" : row + ": ";
    }

    private static String text(List<Rate> rates) {
        return rates.size() == 1
                ? rates.get(0).toString()
                : rates.stream().map(Rate::toString).collect(Collectors.joining(", ", "[", "]"));
    }

    private String refused(String limit) {
        LimitUse use = replayed.get(limit);
        return use == null
                ? ""
                : SimulationText.number(use.refused()) + " of " + SimulationText.number(use.asked()) + " ("
                        + SimulationText.share(use.refused(), use.asked()) + ")";
    }

    /** Writes the member {@code suggested} into an open object. */
    public void write(Json json) {
        json.name("suggested").open('[');
        suggestion.rates().forEach((limit, byRow) -> {
            LimitUse use = replayed.get(limit);
            json.open('{').field("limit", limit).name("rates").open('{');
            byRow.forEach((row, rates) ->
                    json.field(row, rates.stream().map(Rate::toString).toList()));
            json.close('}');
            if (use != null) {
                json.field("replayed", use.asked()).field("refused", use.refused());
            }
            json.close('}');
        });
        json.close(']');
    }
}

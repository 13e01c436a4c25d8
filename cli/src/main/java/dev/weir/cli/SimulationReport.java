package dev.weir.cli;

import dev.weir.cli.Simulation.LimitTotals;
import dev.weir.engine.json.Json;
import dev.weir.server.Logs;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a simulation, as text or JSON.
 *
 * @param simulation the simulation, with its counts
 * @param skipped the number of lines that could not be parsed
 * @param firstSkipped the line number of the first of them
 */
record SimulationReport(Simulation simulation, long skipped, long firstSkipped) {
    private static final int MOST_SUBJECTS = 10;
    private static final int LONGEST_SUBJECT = 100;

    List<String> lines() {
        long requests = simulation.allowed() + simulation.refused() + simulation.unlimited();
        List<String> lines = new ArrayList<>();
        lines.add(number(requests) + (requests == 1 ? " request" : " requests") + " from " + simulation.first() + " to "
                + simulation.last());
        if (skipped > 0) {
            lines.add(number(skipped) + (skipped == 1 ? " line was" : " lines were")
                    + " not understood and left out, the first in line " + firstSkipped);
        }
        lines.add("allowed " + number(simulation.allowed()) + ", refused " + number(simulation.refused()) + " ("
                + share(simulation.refused(), requests) + "), not limited " + number(simulation.unlimited()));
        lines.add("");
        lines.addAll(Columns.aligned(limitRows()));
        if (simulation.refused() > 0) {
            lines.add("");
            lines.addAll(Columns.aligned(subjectRows()));
        }
        return lines;
    }

    private List<List<String>> limitRows() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("LIMIT", "ASKED", "WOULD REFUSE", "SHARE", "FIRST REFUSAL", ""));
        simulation
                .limits()
                .forEach((name, tally) -> rows.add(List.of(
                        name,
                        number(tally.asked),
                        number(tally.refused),
                        share(tally.refused, tally.asked),
                        tally.firstRefusal == null ? "" : tally.firstRefusal.toString(),
                        tally.isShadow ? "shadow: reports only" : "")));
        return rows;
    }

    private List<List<String>> subjectRows() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("MOST REFUSED", "TIMES"));
        simulation
                .mostRefused(MOST_SUBJECTS)
                .forEach(subject -> rows.add(List.of(printable(subject.getKey()), number(subject.getValue()))));
        return rows;
    }

    String json() {
        Json json = Json.newObject(1_024)
                .field("requests", simulation.allowed() + simulation.refused() + simulation.unlimited())
                .field("allowed", simulation.allowed())
                .field("refused", simulation.refused())
                .field("not_limited", simulation.unlimited())
                .field("lines_skipped", skipped);
        time(json, "from", simulation.first());
        time(json, "to", simulation.first() == null ? null : simulation.last());
        json.name("limits").open('[');
        for (Map.Entry<String, LimitTotals> limit : simulation.limits().entrySet()) {
            LimitTotals tally = limit.getValue();
            json.open('{')
                    .field("name", limit.getKey())
                    .field("asked", tally.asked)
                    .field("refused", tally.refused)
                    .field("shadow", tally.isShadow);
            time(json, "first_refusal", tally.firstRefusal);
            json.close('}');
        }
        json.close(']').name("most_refused").open('[');
        for (Map.Entry<String, Long> subject : simulation.mostRefused(MOST_SUBJECTS)) {
            json.open('{')
                    .field("subject", subject.getKey())
                    .field("times", subject.getValue())
                    .close('}');
        }
        return new String(json.close(']').close('}').bytes(), StandardCharsets.UTF_8);
    }

    private static void time(Json json, String name, @Nullable Instant time) {
        json.field(name, time == null ? null : time.toString());
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String share(long part, long whole) {
        return whole == 0 ? "" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }

    /** Escapes text of clients, which a terminal could interpret. */
    private static String printable(String text) {
        int end = text.offsetByCodePoints(0, Math.min(LONGEST_SUBJECT, text.codePointCount(0, text.length())));
        return Logs.printable(text.substring(0, end)) + (text.length() > LONGEST_SUBJECT ? "…" : "");
    }
}

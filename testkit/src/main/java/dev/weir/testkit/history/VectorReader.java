package dev.weir.testkit.history;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Reading;
import dev.weir.Settlement;
import dev.weir.testkit.history.HistorySubject.Nothing;
import dev.weir.testkit.history.HistorySubject.ObservedDecision;
import dev.weir.testkit.history.VectorRow.Column;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Reads golden vectors back as steps with their recorded results. */
final class VectorReader {
    private VectorReader() {}

    /** A step, its time in microseconds since 1970, and the expected result. */
    record Recorded(long timeMicros, Step step, Object expected) {}

    /** The histories of a file, by name. */
    static Map<String, List<Recorded>> read(String text) {
        Map<String, Map<String, List<VectorRow>>> rows = new LinkedHashMap<>();
        text.lines()
                .skip(1)
                .map(VectorRow::parse)
                .forEach(row -> rows.computeIfAbsent(row.text(Column.HISTORY), history -> new LinkedHashMap<>())
                        .computeIfAbsent(row.text(Column.STEP), step -> new ArrayList<>())
                        .add(row));
        Map<String, List<Recorded>> histories = new LinkedHashMap<>();
        rows.forEach((history, steps) -> histories.put(history, recorded(steps.values())));
        return histories;
    }

    private static List<Recorded> recorded(Collection<List<VectorRow>> steps) {
        return steps.stream()
                .map(rows -> new Recorded(rows.get(0).number(Column.TIME), step(rows), expected(rows)))
                .toList();
    }

    private static Step step(List<VectorRow> rows) {
        VectorRow first = rows.get(0);
        String id = first.text(Column.ID);
        boolean repeats = !first.has(Column.REMAINING);
        return switch (first.text(Column.OP)) {
            case "consume" -> new Step.Consume(number(id), charges(rows));
            case "peek" -> new Step.Peek(charges(rows));
            case "refund" -> id.startsWith("d") ? new Step.Refund(number(id)) : new Step.RefundReserved(id);
            case "reset" ->
                new Step.Reset(
                        rows.stream().map(row -> Key.of(row.text(Column.KEY))).toList());
            case "reserve" -> new Step.Reserve(id, charges(rows), ttl(first));
            case "settle" -> new Step.Settle(id, costs(rows));
            case "cancel" -> new Step.Cancel(id);
            case "prolong" -> new Step.Prolong(id, ttl(first));
            case "acquire" -> new Step.Acquire(id, charges(rows), ttl(first), repeats);
            case "renew" -> new Step.Renew(id, ttl(first));
            case "release" -> new Step.Release(id);
            default -> throw new IllegalArgumentException("unknown op in " + first.format());
        };
    }

    private static Object expected(List<VectorRow> rows) {
        VectorRow first = rows.get(0);
        String answer = first.text(Column.ANSWER);
        return switch (first.text(Column.OP)) {
            case "consume", "reserve", "acquire", "peek" -> decision(rows);
            case "reset" -> Nothing.NOTHING;
            case "settle", "cancel" -> Settlement.valueOf(answer.toUpperCase(Locale.ROOT));
            default -> Boolean.valueOf(answer);
        };
    }

    private static ObservedDecision decision(List<VectorRow> rows) {
        boolean admitted = rows.stream()
                .map(row -> row.text(Column.ANSWER))
                .allMatch(answer -> answer.equals("admitted") || answer.equals("fits"));
        boolean hasReadings = rows.get(0).has(Column.REMAINING);
        return new ObservedDecision(
                admitted, hasReadings ? rows.stream().map(VectorReader::reading).toList() : List.of());
    }

    private static Reading reading(VectorRow row) {
        long remaining = row.number(Column.REMAINING);
        Duration reset = PolicyText.ofMicros(row.number(Column.RESET_AFTER));
        return switch (row.text(Column.ANSWER)) {
            case "admitted" -> new Reading.Admitted(remaining, reset);
            case "fits" -> new Reading.Fits(remaining, reset);
            case "refused" ->
                new Reading.Refused(remaining, PolicyText.ofMicros(row.number(Column.RETRY_AFTER)), reset);
            case "impossible" ->
                new Reading.Impossible(
                        remaining, PolicyText.parse(row.text(Column.POLICY)).capacity(), reset);
            default -> throw new IllegalArgumentException("unknown answer in " + row.format());
        };
    }

    private static List<Charge> charges(List<VectorRow> rows) {
        return rows.stream()
                .map(row -> new Charge(
                        Key.of(row.text(Column.KEY)),
                        PolicyText.parse(row.text(Column.POLICY)),
                        row.number(Column.AMOUNT)))
                .toList();
    }

    private static Map<String, Long> costs(List<VectorRow> rows) {
        Map<String, Long> costs = new TreeMap<>();
        rows.stream()
                .filter(row -> row.has(Column.KEY))
                .forEach(row -> costs.put(row.text(Column.KEY), row.number(Column.AMOUNT)));
        return costs;
    }

    private static int number(String id) {
        return Integer.parseInt(id.substring(1));
    }

    private static Duration ttl(VectorRow row) {
        return PolicyText.ofMicros(row.number(Column.TTL));
    }
}

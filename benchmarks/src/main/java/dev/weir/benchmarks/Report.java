package dev.weir.benchmarks;

import static dev.weir.benchmarks.measure.Table.number;

import dev.weir.benchmarks.measure.Figure;
import dev.weir.benchmarks.measure.Machine;
import dev.weir.benchmarks.measure.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The report of a run: as text, as a page for the documentation, or as JSON. */
record Report(Machine machine, String date, String command, Results results) {
    private static final String HOW = "The figures are the CPU time of the whole process per operation, without the JIT"
            + " compiler's. Each is the median of several rounds; in each round every contestant has its turn in a new"
            + " JVM. × is the ratio to the row that has 1.00. A bar is a required figure. If it lies between the lowest"
            + " and the highest single round, the result is too close to call: the next run may decide otherwise.";

    String text() {
        StringBuilder text = new StringBuilder(machine + "\n" + HOW + "\n" + calm() + "\n\n");
        for (Table table : tables()) {
            text.append(table.text()).append('\n');
        }
        return text.toString();
    }

    String markdown() {
        StringBuilder text = new StringBuilder("# Benchmarks\n\n");
        text.append(machine.heading(date, command))
                .append(HOW)
                .append(' ')
                .append(calm())
                .append('\n');
        for (Table table : tables()) {
            text.append('\n').append(table.markdown());
        }
        return text.toString();
    }

    private String calm() {
        List<Figure.Sample> turns = results.figures().values().stream()
                .flatMap(figure -> figure.rounds().stream())
                .toList();
        long calm = turns.stream().filter(Figure.Sample::isCalm).count();
        return "In this run " + calm + " of " + turns.size() + " turns were calm, with a CPU for every thread.";
    }

    String json() {
        String cases = results.figures().entrySet().stream()
                .map(entry -> json(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(",\n    "));
        String heap = results.bytesPerKey().entrySet().stream()
                .map(entry -> String.format(
                        Locale.ROOT,
                        "{\"id\": %s, \"bytesPerKey\": %.2f}",
                        quoted(entry.getKey().id()),
                        entry.getValue()))
                .collect(Collectors.joining(",\n    "));
        String bars = Bars.judge(results, machine.cores()).stream()
                .map(bar -> String.format(
                        Locale.ROOT,
                        "{\"what\": %s, \"measured\": %s, \"required\": %s, \"verdict\": %s, \"spread\": %s}",
                        quoted(bar.what()),
                        quoted(bar.measured()),
                        quoted(bar.required()),
                        quoted(bar.verdict().toString()),
                        quoted(bar.spread())))
                .collect(Collectors.joining(",\n    "));
        Map<String, String> lists = new LinkedHashMap<>();
        lists.put("cases", cases);
        lists.put("heap", heap);
        lists.put("bars", bars);
        return json(machine, date, command, lists);
    }

    /** A result file: machine, date and command, then lists of results by their names. */
    static String json(Machine machine, String date, String command, Map<String, String> lists) {
        String all = lists.entrySet().stream()
                .map(list -> "  \"" + list.getKey() + "\": [\n    " + list.getValue() + "\n  ]")
                .collect(Collectors.joining(",\n"));
        return String.format(
                Locale.ROOT,
                "{%n  \"machine\": %s,%n  \"date\": %s,%n  \"command\": %s,%n%s%n}%n",
                quoted(machine.toString()),
                quoted(date),
                quoted(command),
                all);
    }

    private static String json(Suite.Case one, Figure figure) {
        String rounds = figure.rounds().stream()
                .map(round -> String.format(
                        Locale.ROOT,
                        "{\"cpuNanosPerOp\": %.3f, \"opsPerSecond\": %.0f, \"waited\": %.3f}",
                        round.cpuNanos(),
                        round.opsPerSecond(),
                        round.waited()))
                .collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "{\"id\": %s, \"cpuNanosPerOp\": %.3f, \"bytesPerOp\": %.3f, \"opsPerSecond\": %.0f, \"rounds\": [%s]}",
                quoted(one.id()),
                figure.cpuNanos(),
                figure.bytes(),
                figure.opsPerSecond(),
                rounds);
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private List<Table> tables() {
        List<Table> tables = new ArrayList<>();
        Suite.GROUPS.forEach(group -> tables.add(groupTable(group)));
        tables.add(heapTable());
        tables.add(barTable());
        tables.removeIf(Table::isEmpty);
        return tables;
    }

    private Table groupTable(Suite.Group group) {
        List<Suite.Variant> variants = group.variants().stream()
                .filter(variant -> group.contestants().stream()
                        .anyMatch(
                                contestant -> figure(group, variant, contestant).isMeasured()))
                .toList();
        List<String> header = new ArrayList<>(List.of("ns/op"));
        variants.forEach(variant -> header.addAll(List.of(variant.label(), "×")));
        header.add("B/op");
        Table table = new Table(group.title(), 1, header);
        for (Suite.Contestant contestant : group.contestants()) {
            if (variants.stream()
                    .anyMatch(variant -> figure(group, variant, contestant).isMeasured())) {
                table.add(groupRow(group, variants, contestant));
            }
        }
        return table;
    }

    private List<String> groupRow(Suite.Group group, List<Suite.Variant> variants, Suite.Contestant contestant) {
        List<String> row = new ArrayList<>(List.of(contestant.label()));
        List<Double> bytes = new ArrayList<>();
        for (Suite.Variant variant : variants) {
            Figure figure = figure(group, variant, contestant);
            Figure reference = results.of(group.of(variant.id(), group.reference()));
            row.add(number("%.1f", figure.cpuNanos()));
            row.add(number("%.2f", figure.cpuNanos() / reference.cpuNanos()));
            if (figure.isMeasured()) {
                bytes.add(figure.bytes());
            }
        }
        String least = number("%.0f", Collections.min(bytes));
        String most = number("%.0f", Collections.max(bytes));
        row.add(least.equals(most) ? most : least + "–" + most);
        return row;
    }

    private Figure figure(Suite.Group group, Suite.Variant variant, Suite.Contestant contestant) {
        return results.of(new Suite.Case(group, variant, contestant));
    }

    private Table heapTable() {
        Table table = new Table("Heap per key, besides the callers' strings", 1, List.of("", "keys", "B/key"));
        for (Map.Entry<Suite.HeapCase, Double> entry : results.bytesPerKey().entrySet()) {
            String keys = String.format(Locale.ROOT, "%,d", entry.getKey().keys());
            table.add(List.of(entry.getKey().label(), keys, number("%.1f", entry.getValue())));
        }
        return table;
    }

    private Table barTable() {
        List<Bars.Bar> bars = Bars.judge(results, machine.cores());
        Map<Bars.Verdict, Long> counts =
                bars.stream().collect(Collectors.groupingBy(Bars.Bar::verdict, Collectors.counting()));
        String title = Stream.of(Bars.Verdict.values())
                .map(verdict -> counts.getOrDefault(verdict, 0L) + " " + verdict)
                .collect(Collectors.joining(", ", "Bars: ", ""));
        Table table = new Table(title, 1, List.of("", "measured", "bar", "verdict", "single rounds"));
        for (Bars.Bar bar : bars) {
            if (bar.verdict() == Bars.Verdict.NOT_MEASURED) {
                continue;
            }
            table.add(List.of(
                    bar.what(), bar.measured(), bar.required(), bar.verdict().toString(), bar.spread()));
        }
        return table;
    }
}

package dev.weir.cli.simulation;

import dev.weir.cli.log.LoggedRequest;
import dev.weir.cli.terminal.Columns;
import dev.weir.cli.terminal.Style;
import dev.weir.engine.json.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The same requests under two configurations: which are decided differently. Not thread-safe. */
public final class Comparison {
    private static final int MOST_IDENTITIES = 100_000;

    private final Simulation before;
    private final Simulation after;
    private final Map<String, Long> newlyRefused = new HashMap<>();
    private final Map<String, Long> noLongerRefused = new HashMap<>();
    private long moreRefused;
    private long fewerRefused;

    /** Compares a configuration in use with one that is to replace it. */
    public Comparison(Simulation before, Simulation after) {
        this.before = before;
        this.after = after;
    }

    /** Decides one request under both. */
    public void add(LoggedRequest request) {
        String refusedBefore = before.add(request);
        String refusedAfter = after.add(request);
        if (refusedAfter != null && refusedBefore == null) {
            moreRefused++;
            count(newlyRefused, refusedAfter);
        } else if (refusedAfter == null && refusedBefore != null) {
            fewerRefused++;
            count(noLongerRefused, refusedBefore);
        }
    }

    private static void count(Map<String, Long> identities, String identity) {
        if (identities.size() < MOST_IDENTITIES || identities.containsKey(identity)) {
            identities.merge(identity, 1L, Long::sum);
        }
    }

    public Simulation before() {
        return before;
    }

    /** The number of requests that only the new configuration refuses. */
    public long moreRefused() {
        return moreRefused;
    }

    /** The number of requests that only the old configuration refuses. */
    public long fewerRefused() {
        return fewerRefused;
    }

    /** The lines that tell the differences. */
    public List<String> lines(Style style) {
        List<String> lines = new ArrayList<>();
        lines.add("Against the other configuration: denied " + SimulationText.number(before.refused()) + " → "
                + SimulationText.number(after.refused()) + "; newly denied " + SimulationText.number(moreRefused)
                + " of " + identities(newlyRefused) + ", no longer denied " + SimulationText.number(fewerRefused)
                + " of " + identities(noLongerRefused));
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(style.bold("LIMIT"), style.bold("DENIED BEFORE"), style.bold("AFTER")));
        refusedByLimit().forEach((limit, counts) -> rows.add(List.of(limit, text(counts[0]), text(counts[1]))));
        lines.add("");
        lines.addAll(Columns.aligned(rows));
        most(lines, style, "NEWLY DENIED", newlyRefused);
        most(lines, style, "NO LONGER DENIED", noLongerRefused);
        return lines;
    }

    private static String identities(Map<String, Long> identities) {
        return SimulationText.number(identities.size())
                + (identities.size() == MOST_IDENTITIES ? " or more" : "")
                + (identities.size() == 1 ? " identity" : " identities");
    }

    private static String text(@Nullable Long count) {
        return count == null ? "(no such limit)" : SimulationText.number(count);
    }

    /** The refusals before and after, by limit; null where a configuration lacks the limit. */
    private Map<String, @Nullable Long[]> refusedByLimit() {
        Map<String, @Nullable Long[]> counts = new LinkedHashMap<>();
        after.limits().forEach(limit -> counts.put(limit.rule().name(), new Long[] {null, limit.refused()}));
        before.limits()
                .forEach(
                        limit -> counts.computeIfAbsent(limit.rule().name(), name -> new Long[2])[0] = limit.refused());
        return counts;
    }

    private static void most(List<String> lines, Style style, String heading, Map<String, Long> identities) {
        if (identities.isEmpty()) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of(style.bold(heading), style.bold("TIMES")));
        sorted(identities)
                .forEach(entry -> rows.add(
                        List.of(SimulationText.printable(entry.getKey()), SimulationText.number(entry.getValue()))));
        lines.add("");
        lines.addAll(Columns.aligned(rows));
    }

    private static List<Map.Entry<String, Long>> sorted(Map<String, Long> identities) {
        return identities.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(SimulationText.MOST_IDENTITIES)
                .toList();
    }

    /** Writes the member {@code against} into an open object. */
    public void write(Json json) {
        json.name("against")
                .open('{')
                .field("refused", before.refused())
                .field("newly_refused", moreRefused)
                .field("newly_refused_identities", newlyRefused.size())
                .field("no_longer_refused", fewerRefused)
                .field("no_longer_refused_identities", noLongerRefused.size());
        write(json, "most_newly_refused", newlyRefused);
        write(json, "most_no_longer_refused", noLongerRefused);
        json.close('}');
    }

    private static void write(Json json, String name, Map<String, Long> identities) {
        json.name(name).open('[');
        sorted(identities)
                .forEach(entry -> json.open('{')
                        .field("subject", entry.getKey())
                        .field("times", entry.getValue())
                        .close('}'));
        json.close(']');
    }
}

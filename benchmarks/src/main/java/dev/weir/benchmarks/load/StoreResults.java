package dev.weir.benchmarks.load;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The results of a store's benchmark.
 *
 * @param page tables, notes and bars as Markdown
 * @param cases the medians of every case, by its id
 */
public record StoreResults(String page, Map<String, Load.Result> cases) {

    /** Collects the medians of all cells, by the ids that a function gives them. */
    public static <K> StoreResults of(String page, Figures<K> figures, Function<? super K, String> id) {
        Map<String, Load.Result> cases = new LinkedHashMap<>();
        figures.places().forEach(place -> cases.put(id.apply(place), figures.medians(place)));
        return new StoreResults(page, cases);
    }

    /** The cases as elements of a JSON array. A figure that was not measured is left out. */
    public String json() {
        return cases.entrySet().stream()
                .map(entry -> "{\"id\": \"" + entry.getKey() + '"' + figures(entry.getValue()) + '}')
                .collect(Collectors.joining(",\n    "));
    }

    private static String figures(Load.Result result) {
        return figure("opsPerSecond", result.perSecond())
                + figure("meanMicros", result.mean())
                + figure("p50Micros", result.p50())
                + figure("p95Micros", result.p95())
                + figure("p99Micros", result.p99())
                + figure("p999Micros", result.p999())
                + figure("backendCpuMicros", result.cpuMicros())
                + figure("callsPerCheck", result.commands());
    }

    private static String figure(String name, double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, ", \"%s\": %.3f", name, value) : "";
    }
}

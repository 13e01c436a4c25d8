package dev.weir.benchmarks.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.ToDoubleFunction;

/** What was measured: for every cell one result a turn. */
final class Figures {
    private final Map<Cell, List<Load.Result>> results = new LinkedHashMap<>();

    void add(Cell cell, Load.Result result) {
        results.computeIfAbsent(cell, fresh -> new ArrayList<>()).add(result);
    }

    boolean has(Cell cell) {
        return results.containsKey(cell);
    }

    /** The median over the turns; NaN where nothing was measured. */
    double median(Cell cell, ToDoubleFunction<Load.Result> figure) {
        List<Load.Result> rounds = results.getOrDefault(cell, List.of());
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }

    /** The median of the ratios within each turn: what disturbs a turn disturbs both. */
    double ratio(Cell above, Cell below, ToDoubleFunction<Load.Result> figure) {
        List<Load.Result> over = results.getOrDefault(above, List.of());
        List<Load.Result> under = results.getOrDefault(below, List.of());
        double[] ratios = new double[Math.min(over.size(), under.size())];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = figure.applyAsDouble(over.get(i)) / figure.applyAsDouble(under.get(i));
        }
        java.util.Arrays.sort(ratios);
        return ratios.length == 0 ? Double.NaN : ratios[ratios.length / 2];
    }

    void forEach(BiConsumer<Cell, List<Load.Result>> each) {
        results.forEach(each);
    }
}

package dev.weir.benchmarks.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * What was measured: for every place in the tables one result a turn.
 *
 * @param <K> what names a place
 */
public final class Figures<K> {
    private final Map<K, List<Load.Result>> results = new LinkedHashMap<>();

    public void add(K place, Load.Result result) {
        results.computeIfAbsent(place, fresh -> new ArrayList<>()).add(result);
    }

    /** The places with results, in the order of their first. */
    public Set<K> places() {
        return results.keySet();
    }

    /** A figure of each turn. */
    public DoubleStream turns(K place, ToDoubleFunction<Load.Result> figure) {
        return results.getOrDefault(place, List.of()).stream().mapToDouble(figure);
    }

    public double median(K place, ToDoubleFunction<Load.Result> figure) {
        return median(turns(place, figure));
    }

    /** The ratios within each turn: what disturbs a turn disturbs both. */
    public DoubleStream ratios(K above, K below, ToDoubleFunction<Load.Result> figure) {
        double[] over = turns(above, figure).toArray();
        double[] under = turns(below, figure).toArray();
        return IntStream.range(0, Math.min(over.length, under.length)).mapToDouble(i -> over[i] / under[i]);
    }

    /** The middle one, or the mean of the two in the middle; not a number if there are none. */
    public static double median(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        int middle = sorted.length / 2;
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

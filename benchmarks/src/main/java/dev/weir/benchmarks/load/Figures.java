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
 * The measurements of a store benchmark: for every table cell, one result a turn.
 *
 * @param <K> the type that identifies a cell
 */
public final class Figures<K> {
    private final Map<K, List<Load.Result>> results = new LinkedHashMap<>();

    public void add(K place, Load.Result result) {
        results.computeIfAbsent(place, fresh -> new ArrayList<>()).add(result);
    }

    /** The cells with results, in the order of their first. */
    public Set<K> places() {
        return results.keySet();
    }

    /** One figure of a cell, turn by turn. */
    public DoubleStream turns(K place, ToDoubleFunction<Load.Result> figure) {
        return results.getOrDefault(place, List.of()).stream().mapToDouble(figure);
    }

    public double median(K place, ToDoubleFunction<Load.Result> figure) {
        return median(turns(place, figure));
    }

    /** The medians of all figures of a cell. */
    public Load.Result medians(K place) {
        return new Load.Result(
                median(place, Load.Result::perSecond),
                median(place, Load.Result::mean),
                median(place, Load.Result::p50),
                median(place, Load.Result::p95),
                median(place, Load.Result::p99),
                median(place, Load.Result::p999),
                median(place, Load.Result::cpuMicros),
                median(place, Load.Result::commands));
    }

    /** The ratios within each turn, because a disturbance affects both sides of a turn. */
    public DoubleStream ratios(K above, K below, ToDoubleFunction<Load.Result> figure) {
        double[] over = turns(above, figure).toArray();
        double[] under = turns(below, figure).toArray();
        return IntStream.range(0, Math.min(over.length, under.length)).mapToDouble(i -> over[i] / under[i]);
    }

    /** The median, or the mean of the two middle values; not a number if there are none. */
    public static double median(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        int middle = sorted.length / 2;
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

package dev.weir.benchmarks;

import dev.weir.benchmarks.measure.Figure;
import java.util.LinkedHashMap;
import java.util.Map;

/** The measurements, by case. */
final class Results {
    private final Map<Suite.Case, Figure> figures = new LinkedHashMap<>();
    private final Map<Suite.HeapCase, Double> bytesPerKey = new LinkedHashMap<>();

    void add(Suite.Case measured, Figure.Sample round) {
        figures.put(measured, of(measured).with(round));
    }

    void add(Suite.HeapCase measured, double bytes) {
        bytesPerKey.put(measured, bytes);
    }

    Figure of(Suite.Case asked) {
        return figures.getOrDefault(asked, Figure.NONE);
    }

    /** The bytes per key; not a number if not measured. */
    double bytesPerKey(Suite.HeapCase asked) {
        return bytesPerKey.getOrDefault(asked, Double.NaN);
    }

    Map<Suite.Case, Figure> figures() {
        return figures;
    }

    Map<Suite.HeapCase, Double> bytesPerKey() {
        return bytesPerKey;
    }
}

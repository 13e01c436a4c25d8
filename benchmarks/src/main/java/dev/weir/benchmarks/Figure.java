package dev.weir.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** What was measured of one case: for each round the medians of its iterations. */
record Figure(List<Round> rounds) {

    record Round(double cpuNanos, double bytes, double opsPerSecond) {}

    static final Figure NONE = new Figure(List.of());

    Figure with(Round round) {
        List<Round> all = new ArrayList<>(rounds);
        all.add(round);
        return new Figure(List.copyOf(all));
    }

    boolean isMeasured() {
        return !rounds.isEmpty();
    }

    /** CPU time per operation. */
    double cpuNanos() {
        return median(rounds.stream().map(Round::cpuNanos).toList());
    }

    /** Allocated per operation. */
    double bytes() {
        return median(rounds.stream().map(Round::bytes).toList());
    }

    /** By the wall clock, all threads together. */
    double opsPerSecond() {
        return median(rounds.stream().map(Round::opsPerSecond).toList());
    }

    static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}

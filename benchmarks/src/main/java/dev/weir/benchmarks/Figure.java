package dev.weir.benchmarks;

import dev.weir.benchmarks.load.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What was measured of one case, round by round.
 *
 * <p>Two threads that have to share a CPU with others do not meet at the hot key, and look as fast as one. Therefore
 * what was measured while threads waited for a CPU counts only if there is nothing else.
 */
record Figure(List<Sample> rounds) {
    /** The part of its time that a thread may have waited for a CPU. */
    private static final double CALM = 0.05;

    static final Figure NONE = new Figure(List.of());

    /**
     * An iteration, or the median of several.
     *
     * @param cpuNanos CPU time per operation
     * @param bytes allocated per operation
     * @param opsPerSecond by the wall clock, all threads together
     * @param waited the part of the time in which threads waited for a CPU
     */
    record Sample(double cpuNanos, double bytes, double opsPerSecond, double waited) {
        boolean isCalm() {
            return waited <= CALM;
        }

        /** The medians of the calm ones; of all if none is. */
        static Sample of(List<Sample> samples) {
            List<Sample> calm = samples.stream().filter(Sample::isCalm).toList();
            List<Sample> used = calm.isEmpty() ? samples : calm;
            return new Sample(
                    median(used, Sample::cpuNanos),
                    median(used, Sample::bytes),
                    median(used, Sample::opsPerSecond),
                    median(used, Sample::waited));
        }
    }

    Figure with(Sample round) {
        List<Sample> all = new ArrayList<>(rounds);
        all.add(round);
        return new Figure(List.copyOf(all));
    }

    boolean isMeasured() {
        return !rounds.isEmpty();
    }

    boolean isCalm() {
        return rounds.stream().anyMatch(Sample::isCalm);
    }

    double cpuNanos() {
        return Sample.of(rounds).cpuNanos;
    }

    double bytes() {
        return Sample.of(rounds).bytes;
    }

    double opsPerSecond() {
        return Sample.of(rounds).opsPerSecond;
    }

    private static double median(List<Sample> samples, ToDoubleFunction<Sample> part) {
        return Figures.median(samples.stream().mapToDouble(part));
    }
}

package dev.weir.benchmarks.measure;

import dev.weir.benchmarks.load.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The measurements of one case, round by round.
 *
 * <p>Two threads that share a CPU with other processes do not contend for the hot key, and look as fast as one. A
 * sample taken while threads waited for a CPU therefore counts only if there is no other.
 */
public record Figure(List<Sample> rounds) {
    /** The share of its time that a thread may wait for a CPU in a calm sample. */
    private static final double CALM = 0.05;

    public static final Figure NONE = new Figure(List.of());

    /**
     * An iteration, or the median of several.
     *
     * @param cpuNanos CPU time per operation
     * @param bytes allocated per operation
     * @param opsPerSecond by the wall clock, all threads together
     * @param waited the share of the time in which threads waited for a CPU
     */
    public record Sample(double cpuNanos, double bytes, double opsPerSecond, double waited) {
        public boolean isCalm() {
            return waited <= CALM;
        }

        /** The medians of the calm samples, or of all if none is calm. */
        public static Sample of(List<Sample> samples) {
            List<Sample> calm = samples.stream().filter(Sample::isCalm).toList();
            List<Sample> used = calm.isEmpty() ? samples : calm;
            return new Sample(
                    median(used, Sample::cpuNanos),
                    median(used, Sample::bytes),
                    median(used, Sample::opsPerSecond),
                    median(used, Sample::waited));
        }
    }

    public Figure with(Sample round) {
        List<Sample> all = new ArrayList<>(rounds);
        all.add(round);
        return new Figure(List.copyOf(all));
    }

    public boolean isMeasured() {
        return !rounds.isEmpty();
    }

    public boolean isCalm() {
        return rounds.stream().anyMatch(Sample::isCalm);
    }

    public double cpuNanos() {
        return Sample.of(rounds).cpuNanos;
    }

    public double bytes() {
        return Sample.of(rounds).bytes;
    }

    public double opsPerSecond() {
        return Sample.of(rounds).opsPerSecond;
    }

    private static double median(List<Sample> samples, ToDoubleFunction<Sample> part) {
        return Figures.median(samples.stream().mapToDouble(part));
    }
}

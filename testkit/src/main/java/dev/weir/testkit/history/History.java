package dev.weir.testkit.history;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A sequence of steps, and the seed that generated it.
 *
 * @param seed {@link Histories#random} generates the same history from it again, given the same {@link HistoryOptions}
 * @param steps in the order in which they happen
 */
public record History(long seed, List<Step> steps) {
    public History {
        steps = List.copyOf(steps);
    }

    History withSteps(List<Step> others) {
        return new History(seed, others);
    }

    /** The seed, then one step per line. */
    @Override
    public String toString() {
        return steps.stream().map(step -> "  " + step).collect(Collectors.joining("\n", "seed " + seed + "\n", ""));
    }
}

package dev.weir.testkit.history;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A sequence of steps, and the seed that made it.
 *
 * @param seed with the same {@link Plan}, {@link Histories#random} makes the same history of it again
 * @param steps in the order in which they happen
 */
public record History(long seed, List<Step> steps) {
    public History {
        steps = List.copyOf(steps);
    }

    History withSteps(List<Step> others) {
        return new History(seed, others);
    }

    /** The seed and one step in each line. */
    @Override
    public String toString() {
        return steps.stream().map(step -> "  " + step).collect(Collectors.joining("\n", "seed " + seed + "\n", ""));
    }
}

package dev.weir.testkit.history;

import dev.weir.testkit.model.Timing;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which histories to generate.
 *
 * @param timing how the store reads time; instants are chosen at its ticks
 * @param kinds the algorithms
 * @param features the operations that may happen
 * @param steps the largest number of steps
 */
public record Plan(Timing timing, Set<PolicyKind> kinds, Set<Feature> features, int steps) {
    public Plan {
        kinds = Set.copyOf(kinds);
        features = Set.copyOf(features);
    }

    /** All features except clock steps and sweeps, which not every store supports in tests. */
    public static Plan everything(Timing timing) {
        Set<Feature> features =
                EnumSet.complementOf(EnumSet.of(Feature.STEPS_BACK, Feature.WALL_STEPS, Feature.SWEEPS));
        return new Plan(timing, EnumSet.allOf(PolicyKind.class), features, 40);
    }

    /** One algorithm. */
    public Plan only(PolicyKind kind) {
        return new Plan(timing, Set.of(kind), features, steps);
    }

    public Plan without(PolicyKind kind) {
        Set<PolicyKind> fewer = EnumSet.copyOf(kinds);
        fewer.remove(kind);
        return new Plan(timing, fewer, features, steps);
    }

    public Plan with(Feature feature) {
        Set<Feature> more = EnumSet.of(feature);
        more.addAll(features);
        return new Plan(timing, kinds, more, steps);
    }

    public Plan without(Feature feature) {
        Set<Feature> fewer = EnumSet.noneOf(Feature.class);
        fewer.addAll(features);
        fewer.remove(feature);
        return new Plan(timing, kinds, fewer, steps);
    }

    public Plan steps(int atMost) {
        return new Plan(timing, kinds, features, atMost);
    }

    boolean has(Feature feature) {
        return features.contains(feature);
    }
}

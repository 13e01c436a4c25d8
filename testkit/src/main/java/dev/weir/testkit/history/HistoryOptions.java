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
public record HistoryOptions(Timing timing, Set<PolicyKind> kinds, Set<Feature> features, int steps) {
    public HistoryOptions {
        kinds = Set.copyOf(kinds);
        features = Set.copyOf(features);
    }

    /** All features except clock steps and sweeps, which not every store supports in tests. */
    public static HistoryOptions everything(Timing timing) {
        Set<Feature> features =
                EnumSet.complementOf(EnumSet.of(Feature.STEPS_BACK, Feature.WALL_STEPS, Feature.SWEEPS));
        return new HistoryOptions(timing, EnumSet.allOf(PolicyKind.class), features, 40);
    }

    /** One algorithm. */
    public HistoryOptions only(PolicyKind kind) {
        return new HistoryOptions(timing, Set.of(kind), features, steps);
    }

    public HistoryOptions without(PolicyKind kind) {
        Set<PolicyKind> fewer = EnumSet.copyOf(kinds);
        fewer.remove(kind);
        return new HistoryOptions(timing, fewer, features, steps);
    }

    public HistoryOptions with(Feature feature) {
        Set<Feature> more = EnumSet.of(feature);
        more.addAll(features);
        return new HistoryOptions(timing, kinds, more, steps);
    }

    public HistoryOptions without(Feature feature) {
        Set<Feature> fewer = EnumSet.noneOf(Feature.class);
        fewer.addAll(features);
        fewer.remove(feature);
        return new HistoryOptions(timing, kinds, fewer, steps);
    }

    public HistoryOptions steps(int atMost) {
        return new HistoryOptions(timing, kinds, features, atMost);
    }

    boolean has(Feature feature) {
        return features.contains(feature);
    }
}

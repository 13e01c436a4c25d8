package dev.weir.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs a history on a store and on the model, and compares every result to the bit. */
public final class Replay {
    private Replay() {}

    /**
     * Checks one history on a new store.
     *
     * @throws AssertionError if a result differs; the message has the seed and the shortest part of the history in
     *     which one still differs
     */
    public static void check(History history, Supplier<? extends StoreUnderTest> stores) {
        Mismatch mismatch = replay(history, stores);
        if (mismatch != null) {
            Mismatch shortest = shorten(mismatch, stores);
            throw new AssertionError("the store differs from the model in step "
                    + mismatch.history.steps().size() + " of the history with " + shortest.history + "\n  model: "
                    + shortest.expected + "\n  store: " + shortest.actual);
        }
    }

    /** The first difference between a store and the model, at the last step of this history. */
    private record Mismatch(History history, Object expected, Object actual) {}

    private static @Nullable Mismatch replay(History history, Supplier<? extends StoreUnderTest> stores) {
        try (StoreUnderTest trial = stores.get()) {
            HistorySubject model = new ModelSubject(trial.timing());
            HistorySubject store = new StoreSubject(trial);
            List<Step> steps = history.steps();
            for (int i = 0; i < steps.size(); i++) {
                Object expected = model.live(steps.get(i));
                Object actual = store.live(steps.get(i));
                if (!expected.equals(actual)) {
                    return new Mismatch(history.withSteps(steps.subList(0, i + 1)), expected, actual);
                }
            }
            return null;
        }
    }

    /** Removes one step after another while the remaining history still differs somewhere. */
    private static Mismatch shorten(Mismatch found, Supplier<? extends StoreUnderTest> stores) {
        Mismatch shortest = found;
        for (int i = found.history.steps().size() - 2; i >= 0; i--) {
            List<Step> fewer = new ArrayList<>(shortest.history.steps());
            if (i < fewer.size()) {
                fewer.remove(i);
                Mismatch still = replay(shortest.history.withSteps(fewer), stores);
                shortest = still == null ? shortest : still;
            }
        }
        return shortest;
    }
}

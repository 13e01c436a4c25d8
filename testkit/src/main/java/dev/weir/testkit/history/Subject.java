package dev.weir.testkit.history;

import dev.weir.Reading;
import java.util.List;

/** A subject of a history: the store, or the model of it. */
interface Subject {

    /**
     * Executes the step and returns what was observed. The results of two subjects can be compared with {@code equals}.
     */
    Object live(Step step);

    /** The observable part of a decision. */
    record Seen(boolean admitted, List<Reading> readings) {
        Seen withoutReadings() {
            return new Seen(admitted, List.of());
        }
    }

    /** The result of a step that returns nothing. */
    enum Nothing {
        NOTHING
    }
}

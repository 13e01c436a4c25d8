package dev.weir.testkit.history;

import dev.weir.Reading;
import java.util.List;

/** A subject of a history: the store, or the model of it. */
interface HistorySubject {

    /**
     * Executes the step and returns what was observed. The results of two subjects can be compared with {@code equals}.
     */
    Object live(Step step);

    /** The observable part of a decision. */
    record ObservedDecision(boolean admitted, List<Reading> readings) {
        ObservedDecision withoutReadings() {
            return new ObservedDecision(admitted, List.of());
        }
    }

    /** The result of a step that returns nothing. */
    enum Nothing {
        NOTHING
    }
}

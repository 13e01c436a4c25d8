package dev.weir.testkit.history;

import dev.weir.Reading;
import java.util.List;

/** Who lives through a history: the store, or the model of it. */
interface Subject {

    /** Does the step and answers what was seen; what two subjects answer can be compared with {@code equals}. */
    Object live(Step step);

    /** What is seen of a decision. */
    record Seen(boolean admitted, List<Reading> readings) {
        Seen withoutReadings() {
            return new Seen(admitted, List.of());
        }
    }

    /** What is seen of a step that answers nothing. */
    enum Nothing {
        NOTHING
    }
}

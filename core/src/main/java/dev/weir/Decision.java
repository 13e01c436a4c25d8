package dev.weir;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The result of a list of charges that were decided together: either all were spent, or none.
 *
 * <p>When admitted, every reading is {@link Reading.Admitted}. When not, none is: at least one is {@link
 * Reading.Refused} or {@link Reading.Impossible}, and the others are {@link Reading.Fits}. Immutable.
 */
public interface Decision extends Answer<Decision> {

    /** Whether every charge was spent (or, for a peek, whether every charge would fit). */
    boolean admitted();

    /** The charges that were decided, in the order in which they were given. */
    List<Charge> charges();

    /** The reading of the charge at {@code index}. */
    Reading reading(int index);

    /** The time of the decision on the store's clock and in the store's unit. Meaningful to the same store only. */
    long time();

    /** The readings in the order of the charges. */
    default List<Reading> readings() {
        List<Reading> all = new ArrayList<>(charges().size());
        for (int i = 0; i < charges().size(); i++) {
            all.add(reading(i));
        }
        return Collections.unmodifiableList(all);
    }

    /** The first, outermost, reading that refuses its charge; null when admitted. */
    default @Nullable Reading obstacle() {
        for (int i = 0; i < charges().size(); i++) {
            Reading reading = reading(i);
            if (reading instanceof Reading.Refused || reading instanceof Reading.Impossible) {
                return reading;
            }
        }
        return null;
    }

    @Override
    default boolean isDone() {
        return true;
    }

    @Override
    default Decision now() {
        return this;
    }

    @Override
    default Decision await(Duration timeout) {
        return this;
    }

    @Override
    default void whenDone(BiConsumer<? super @Nullable Decision, ? super @Nullable StoreException> callback) {
        callback.accept(this, null);
    }
}

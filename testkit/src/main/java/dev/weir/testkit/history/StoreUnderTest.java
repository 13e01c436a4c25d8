package dev.weir.testkit.history;

import dev.weir.Decision;
import dev.weir.Store;
import dev.weir.testkit.model.ModelTime;
import dev.weir.testkit.model.Timing;
import java.time.Duration;

/**
 * A new, empty store under test, with control of its clock.
 *
 * <p>The contract test declares what the store cannot do, for example have its clock moved. The matching methods here
 * are then never called.
 */
public interface StoreUnderTest extends AutoCloseable {

    Store store();

    /** How the store reads time, from its creation on. */
    Timing timing();

    /** Advances the clock that the store was given. */
    default void advance(Duration by) {
        throw new UnsupportedOperationException("this store's clock is not given by the test");
    }

    /** Sets the store's clock and its wall clock back. When this returns, the store has read the new time. */
    default void stepBack(Duration by) {
        throw new UnsupportedOperationException("this store's clock cannot be set back");
    }

    /** Sets the wall clock alone, forward or (with a negative duration) back. */
    default void stepWall(Duration by) {
        throw new UnsupportedOperationException("this store's wall clock cannot be set");
    }

    /** Makes the store evict now all entries that it may evict. */
    default void sweep() {
        throw new UnsupportedOperationException("this store cannot sweep on request");
    }

    /** When a decision was made, for a store with its own clock. The model is evaluated at that time. */
    default ModelTime momentOf(Decision decision) {
        throw new UnsupportedOperationException("this store's clock is given by the test");
    }

    @Override
    void close();
}

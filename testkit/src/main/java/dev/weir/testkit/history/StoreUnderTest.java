package dev.weir.testkit.history;

import dev.weir.Decision;
import dev.weir.Store;
import dev.weir.testkit.model.Moment;
import dev.weir.testkit.model.Timing;
import java.time.Duration;

/**
 * A store on trial, new and empty, and a hand on its clock.
 *
 * <p>What a store cannot do (have its clock moved, say) is declared in its contract test; what it declares is never
 * called here.
 */
public interface StoreUnderTest extends AutoCloseable {

    Store store();

    /** How the store reads time, from the moment it was made. */
    Timing timing();

    /** Lets time pass: moves the clock that the store was given. */
    default void advance(Duration by) {
        throw new UnsupportedOperationException("this store's clock is not given by the test");
    }

    /** Sets the store's clock back, and its wall clock with it; the store has seen it when this returns. */
    default void stepBack(Duration by) {
        throw new UnsupportedOperationException("this store's clock cannot be set back");
    }

    /** Sets the wall clock alone, forward or (with a negative duration) back. */
    default void stepWall(Duration by) {
        throw new UnsupportedOperationException("this store's wall clock cannot be set");
    }

    /** Makes the store forget now whatever it may forget. */
    default void sweep() {
        throw new UnsupportedOperationException("this store cannot be told to sweep");
    }

    /** When a decision was made, for a store with a clock of its own: the model is asked about that moment. */
    default Moment momentOf(Decision decision) {
        throw new UnsupportedOperationException("this store's clock is given by the test");
    }

    @Override
    void close();
}

package dev.weir.store.durableobjects;

import dev.weir.testkit.Ability;
import dev.weir.testkit.GivenClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** The contract, the golden vectors and random histories, on a clock that the test sets. */
@Tag("io")
class DurableObjectsStoreContractTest extends GivenClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new DurableObjectsUnderTest();
    }

    @Override
    protected Set<Ability> missing() {
        // Every tag has a clock of its own, which sees a step when it is next asked; docs/durable-objects.md says so.
        return Set.of(Ability.STEADY_CLOCK, Ability.CLOCK_STEPS_BACK, Ability.LARGE_BUCKETS);
    }

    @Override
    protected int histories() {
        return Integer.getInteger("weir.durable-objects.histories", 6);
    }

    @Override
    protected int thinning() {
        return 10;
    }
}

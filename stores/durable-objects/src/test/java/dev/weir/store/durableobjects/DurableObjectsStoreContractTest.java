package dev.weir.store.durableobjects;

import dev.weir.testkit.Ability;
import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;

/** The contract, the golden vectors and random histories, with the clock given. */
class DurableObjectsStoreContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new DurableObjectsUnderTest();
    }

    @Override
    protected Set<Ability> missing() {
        // Every tag has a clock of its own, which sees a step when it is next asked; docs/durable-objects.md says so.
        return Set.of(
                Ability.RUNNING_CLOCK,
                Ability.EXACT_MOMENTS,
                Ability.STEADY_CLOCK,
                Ability.CLOCK_STEPS_BACK,
                Ability.LARGE_BUCKETS);
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

package dev.weir.store.jdbc;

import dev.weir.testkit.Ability;
import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;

/** As it is used: on the database's own clock. */
class SqliteStoreRunningClockContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RunningUnderTest(Kind.SQLITE);
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.GIVEN_CLOCK, Ability.CLOCK_STEPS_BACK, Ability.STEADY_CLOCK);
    }
}

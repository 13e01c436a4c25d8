package dev.weir.store.jdbc;

import dev.weir.testkit.Ability;
import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;

/** PostgreSQL on a clock that the tests move. */
class PostgresStoreContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new PostgresUnderTest();
    }

    @Override
    protected int histories() {
        return Integer.getInteger("weir.sql.histories", 25);
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.RUNNING_CLOCK, Ability.EXACT_MOMENTS);
    }
}

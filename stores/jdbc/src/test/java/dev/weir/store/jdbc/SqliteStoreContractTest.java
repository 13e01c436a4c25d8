package dev.weir.store.jdbc;

import dev.weir.testkit.Ability;
import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;
import java.util.Set;

/** SQLite on a clock that the tests move. */
class SqliteStoreContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new SqliteUnderTest();
    }

    @Override
    protected int histories() {
        return Integer.getInteger("weir.sql.histories", 60);
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.RUNNING_CLOCK, Ability.EXACT_MOMENTS);
    }
}

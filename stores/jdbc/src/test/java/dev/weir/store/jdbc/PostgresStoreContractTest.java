package dev.weir.store.jdbc;

import dev.weir.testkit.GivenClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** PostgreSQL on a clock that the test advances. */
@Tag("io")
class PostgresStoreContractTest extends GivenClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new PostgresUnderTest();
    }

    @Override
    protected int thinning() {
        return 10;
    }

    @Override
    protected int histories() {
        return Integer.getInteger("weir.sql.histories", 25);
    }
}

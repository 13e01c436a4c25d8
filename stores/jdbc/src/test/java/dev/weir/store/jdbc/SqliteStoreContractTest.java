package dev.weir.store.jdbc;

import dev.weir.testkit.GivenClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** SQLite on a clock that the test advances. */
@Tag("io")
class SqliteStoreContractTest extends GivenClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new SqliteUnderTest();
    }

    @Override
    protected int histories() {
        return Integer.getInteger("weir.sql.histories", 60);
    }
}

package dev.weir.store.jdbc;

import dev.weir.testkit.RunningClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** The contract as in production: on the database's own clock. */
@Tag("io")
class PostgresStoreRunningClockContractTest extends RunningClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RunningUnderTest(DatabaseKind.POSTGRESQL);
    }

    @Override
    protected int thinning() {
        return 10;
    }
}

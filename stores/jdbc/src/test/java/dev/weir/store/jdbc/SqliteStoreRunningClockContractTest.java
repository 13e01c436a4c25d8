package dev.weir.store.jdbc;

import dev.weir.testkit.RunningClockContract;
import dev.weir.testkit.history.StoreUnderTest;

/** As it is used: on the database's own clock. */
class SqliteStoreRunningClockContractTest extends RunningClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new RunningUnderTest(Kind.SQLITE);
    }
}

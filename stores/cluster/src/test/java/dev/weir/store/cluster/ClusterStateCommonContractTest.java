package dev.weir.store.cluster;

import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;

/** The state machine alone, without a network, on any clock. */
class ClusterStateCommonContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new SoloUnderTest();
    }

    /** Every few batches the whole state is written to a snapshot and read back. */
    @Override
    protected int thinning() {
        return 10;
    }
}

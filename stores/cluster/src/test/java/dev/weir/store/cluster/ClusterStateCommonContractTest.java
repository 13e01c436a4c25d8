package dev.weir.store.cluster;

import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;

/** The book alone, without a network: what any clock has in common. */
class ClusterStateCommonContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new SoloUnderTest();
    }

    /** Every few batches the whole book is written and read. */
    @Override
    protected int thinning() {
        return 10;
    }
}

package dev.weir.store.cluster;

import dev.weir.testkit.GivenClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** The state machine alone, without a network: it agrees with the model, also after snapshots and repeated batches. */
@Tag("slow")
class ClusterStateContractTest extends GivenClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new SoloUnderTest();
    }

    @Override
    protected int histories() {
        return Integer.getInteger("weir.cluster.histories", 200);
    }
}

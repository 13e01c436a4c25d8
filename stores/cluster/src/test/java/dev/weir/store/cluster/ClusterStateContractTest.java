package dev.weir.store.cluster;

import dev.weir.testkit.GivenClockContract;
import dev.weir.testkit.history.StoreUnderTest;
import org.junit.jupiter.api.Tag;

/** The book alone, without a network: every answer as the model has it, also from snapshots and to repeated batches. */
@Tag("slow")
class ClusterStateContractTest extends GivenClockContract {
    @Override
    protected StoreUnderTest newStore() {
        return new SoloUnderTest();
    }
}

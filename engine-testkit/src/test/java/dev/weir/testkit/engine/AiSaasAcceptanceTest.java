package dev.weir.testkit.engine;

import dev.weir.memory.MemoryStore;
import dev.weir.testkit.FailureInjectingStore;
import dev.weir.testkit.FailureInjectingStore.Behavior;
import dev.weir.testkit.history.MemoryUnderTest;
import dev.weir.testkit.history.StoreOnFakeClock;

class AiSaasAcceptanceTest extends AiSaasAcceptance {
    @Override
    protected StoreOnFakeClock newStore() {
        return new MemoryUnderTest();
    }

    @Override
    protected StoppableStore newMortal() {
        FailureInjectingStore store = new FailureInjectingStore(MemoryStore.create());
        return new StoppableStore(store, () -> store.be(Behavior.THROWS));
    }
}

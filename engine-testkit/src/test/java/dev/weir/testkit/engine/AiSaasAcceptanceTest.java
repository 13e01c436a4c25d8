package dev.weir.testkit.engine;

import dev.weir.memory.MemoryStore;
import dev.weir.testkit.MoodyStore;
import dev.weir.testkit.MoodyStore.Mood;
import dev.weir.testkit.history.MemoryUnderTest;
import dev.weir.testkit.history.StoreOnFakeClock;

class AiSaasAcceptanceTest extends AiSaasAcceptance {
    @Override
    protected StoreOnFakeClock newStore() {
        return new MemoryUnderTest();
    }

    @Override
    protected Mortal newMortal() {
        MoodyStore store = new MoodyStore(MemoryStore.create());
        return new Mortal(store, () -> store.be(Mood.THROWS));
    }
}

package dev.weir.store.durableobjects;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("stores/durable-objects", DurableObjectsStore.class);
    }
}

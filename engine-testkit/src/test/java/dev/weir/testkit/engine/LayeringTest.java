package dev.weir.testkit.engine;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("engine-testkit", AiSaasAcceptance.class);
    }
}

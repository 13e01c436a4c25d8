package dev.weir.example.saas;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("examples/ai-saas", SaasServer.class);
    }
}

package dev.weir.server;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("server", ServerOptions.class);
    }
}

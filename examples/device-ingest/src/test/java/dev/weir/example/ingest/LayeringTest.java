package dev.weir.example.ingest;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("examples/device-ingest", IngestServer.class);
    }
}

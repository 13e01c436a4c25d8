package dev.weir.binding.grpc;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("bindings/grpc", WeirServerInterceptor.class);
    }
}

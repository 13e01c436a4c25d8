package dev.weir.binding.servlet;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("bindings/servlet", WeirFilter.class);
    }
}

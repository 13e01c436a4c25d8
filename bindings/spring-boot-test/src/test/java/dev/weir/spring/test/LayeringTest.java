package dev.weir.spring.test;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("bindings/spring-boot-test", WeirTest.class);
    }
}

package dev.weir.spring.gateway;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("bindings/spring-cloud-gateway", WeirRateLimiter.class);
    }
}

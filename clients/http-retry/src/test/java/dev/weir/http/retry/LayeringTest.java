package dev.weir.http.retry;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("clients/http-retry", RetryingHttpClient.class);
    }
}

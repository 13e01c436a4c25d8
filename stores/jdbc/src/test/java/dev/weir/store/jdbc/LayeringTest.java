package dev.weir.store.jdbc;

import dev.weir.fixture.Layers;
import org.junit.jupiter.api.Test;

class LayeringTest {
    @Test
    void packages_seeOnlyWhatTheyMay() {
        Layers.check("stores/jdbc", JdbcStore.class);
    }
}

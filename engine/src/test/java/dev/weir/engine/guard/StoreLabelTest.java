package dev.weir.engine.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoreLabelTest {
    @Test
    void lateStore_isAdvisedBy_whatItsDeadlineComesFrom() {
        assertThat(StoreLabel.ofUri("redis://localhost:6379", false).late(100))
                .isEqualTo(
                        "redis://localhost:6379 did not answer within 100 ms; see that it runs and can be reached or,"
                                + " if it is slow, raise 'timeout' in its URI");
        assertThat(StoreLabel.ofUri("cluster://hub?...", false).late(4000)).endsWith("raise 'patience' in its URI");
        assertThat(StoreLabel.ofUri("redis://localhost:6379", true).late(50))
                .endsWith("raise the engine's deadline (GuardOptions.withDeadline)");
    }
}

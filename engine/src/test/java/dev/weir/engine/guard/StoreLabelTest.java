package dev.weir.engine.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StoreLabelTest {
    @Test
    void lateStore_isAdvisedBy_whatItsDeadlineComesFrom() {
        assertThat(StoreLabel.ofUri("redis://localhost:6379", false).late(Duration.ofMillis(100)))
                .isEqualTo("redis://localhost:6379 did not answer within 100ms; see that it runs and can be reached or,"
                        + " if it is slow, raise 'timeout' in its URI");
        assertThat(StoreLabel.ofUri("cluster://hub?...", false).late(Duration.ofSeconds(4)))
                .endsWith("raise 'patience' in its URI");
        assertThat(StoreLabel.ofUri("redis://localhost:6379", true).late(Duration.ofMillis(50)))
                .endsWith("raise the engine's deadline (GuardOptions.withDeadline)");
    }

    @Test
    void failedStore_isNamedOnce_andNotAdvisedToTakeLonger() {
        StoreLabel redis = StoreLabel.ofUri("redis://...@cache.example:6379?...", false);
        assertThat(redis.failed("Redis at cache.example:6379 cannot be reached: connection refused", true))
                .isEqualTo(
                        "Redis at cache.example:6379 cannot be reached: connection refused; see that it runs and can be"
                                + " reached");
        assertThat(redis.failed("there is no answer", true))
                .isEqualTo("redis://...@cache.example:6379?... failed: there is no answer; see that it runs and can be"
                        + " reached");
        assertThat(redis.failed("the password is wrong; correct it", false))
                .isEqualTo("redis://...@cache.example:6379?... failed: the password is wrong; correct it");
        assertThat(redis.notOpened("Redis at cache.example:6379 refuses the password", false))
                .isEqualTo("the store cannot be opened: Redis at cache.example:6379 refuses the password");
        assertThat(StoreLabel.ofUri("jdbc:postgresql://db/weir", false)
                        .notOpened("PostgreSQL has no such database", false))
                .isEqualTo("the store jdbc:postgresql://db/weir cannot be opened: PostgreSQL has no such database");
        assertThat(StoreLabel.ofUri("jdbc:sqlite:/var/weir.db", false).notOpened("it is locked", true))
                .isEqualTo(
                        "the store jdbc:sqlite:/var/weir.db cannot be opened: it is locked; see that it runs and can be"
                                + " reached from here");
    }
}

package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.fixture.RedisProcess;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The store warns when it is opened on a Redis that may evict counts. */
@Tag("io")
class EvictionWarningTest {

    /** What the store logs while this is open. */
    private static final class Lines extends Handler implements AutoCloseable {
        private final Logger logger = Logger.getLogger("dev.weir.store.redis");
        private final List<String> lines = new CopyOnWriteArrayList<>();

        Lines() {
            logger.addHandler(this);
        }

        @Override
        public void publish(LogRecord line) {
            lines.add(line.getLevel() + " " + new SimpleFormatter().formatMessage(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            logger.removeHandler(this);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "volatile-lru", "allkeys-random"})
    void redisThatEvicts_isOpenedWithOneWarningAndTheCure(String policy) {
        try (RedisProcess redis = RedisProcess.start("--maxmemory-policy", policy, "--maxmemory", "64mb");
                Lines log = new Lines();
                RedisStore store = RedisStore.open(RedisStoreOptions.parse(redis.uri() + "?timeout=60s"))) {
            await().until(() -> !log.lines.isEmpty());
            assertThat(log.lines)
                    .singleElement()
                    .asString()
                    .startsWith("WARNING ")
                    .contains("127.0.0.1:" + redis.port(), "maxmemory-policy " + policy, "noeviction");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"noeviction", "volatile-ttl"})
    void redisThatKeepsCounts_isOpenedWithoutAWarning(String policy) {
        try (RedisProcess redis = RedisProcess.start("--maxmemory-policy", policy);
                Lines log = new Lines();
                RedisStore store = RedisStore.open(RedisStoreOptions.parse(redis.uri() + "?timeout=60s"))) {
            assertThat(RedisUnderTest.await(EvictionWarning.policy(store.link())))
                    .isEqualTo(policy);
            assertThat(log.lines).isEmpty();
        }
    }

    @Test
    void redisThatDoesNotSay_isOpenedWithoutAWarning() {
        try (RedisProcess redis =
                        RedisProcess.start("--rename-command", "INFO", "", "--maxmemory-policy", "allkeys-lru");
                Lines log = new Lines();
                RedisStore store = RedisStore.open(RedisStoreOptions.parse(redis.uri() + "?timeout=60s"))) {
            assertThat(RedisUnderTest.await(EvictionWarning.policy(store.link())))
                    .isEmpty();
            assertThat(log.lines).isEmpty();
        }
    }
}

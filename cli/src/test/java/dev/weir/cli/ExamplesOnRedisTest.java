package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Store;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.store.redis.RedisStore;
import dev.weir.store.redis.RedisStoreOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/** The examples of the documents behave on a real Redis as in memory, although results are pending at first. */
@Tag("io")
public class ExamplesOnRedisTest {
    private static RedisServer redis;
    private static int port;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() throws Exception {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        redis = RedisServer.builder().port(port).bind("127.0.0.1").build();
        redis.start();
    }

    @AfterAll
    static void stop() throws Exception {
        redis.stop();
    }

    @TestFactory
    Stream<DynamicTest> examples_run() {
        return examples().stream()
                .map(example -> DynamicTest.dynamicTest(
                        example.name(), () -> onRedis(example).run(directory)));
    }

    @Test
    void examples_areFound() {
        assertThat(examples())
                .extracting(JavaExample::name)
                .contains("docs/engine.md #3", "docs/concepts.md #2", "docs/redis.md #1");
    }

    private static List<JavaExample> examples() {
        return JavaExample.documents()
                .flatMap(document -> JavaExample.in(document).stream())
                .filter(example -> !onRedis(example).equals(example))
                .toList();
    }

    private static JavaExample onRedis(JavaExample example) {
        return new JavaExample(
                example.name(),
                example.code()
                        .replace(JavaExample.REDIS, Stores.uri())
                        .replace("Weir.inMemory(", "dev.weir.cli.ExamplesOnRedisTest.Stores.weir(")
                        .replace("MemoryStore.create()", "dev.weir.cli.ExamplesOnRedisTest.Stores.store()"));
    }

    /** What examples get in place of the memory store; public, as they are of another class loader. */
    public static final class Stores {
        private static final AtomicInteger OPENED = new AtomicInteger();

        private Stores() {}

        public static Weir weir(Configuration configuration) {
            return Weir.open(configuration, WeirOptions.defaults().withStore(uri()));
        }

        public static Store store() {
            return RedisStore.open(RedisStoreOptions.parse(uri()));
        }

        /** Every example begins with nothing spent. The time is that of a busy machine. */
        private static String uri() {
            return "redis://127.0.0.1:" + port + "?timeout=5s&prefix=example" + OPENED.incrementAndGet();
        }
    }
}

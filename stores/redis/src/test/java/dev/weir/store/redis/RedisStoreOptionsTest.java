package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreException;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.fixture.Ports;
import dev.weir.fixture.RedisProcess;
import dev.weir.store.redis.RedisStoreOptions.Login;
import dev.weir.store.redis.RedisStoreOptions.Node;
import dev.weir.store.redis.RedisStoreOptions.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class RedisStoreOptionsTest {
    @Test
    void parse_plainUri_hasTheDefaults() {
        RedisStoreOptions options = RedisStoreOptions.parse("redis://localhost");
        assertThat(options.topology()).isEqualTo(Topology.SINGLE);
        assertThat(options.nodes()).containsExactly(new Node("localhost", 6379));
        assertThat(options.prefix()).isEqualTo("weir");
        assertThat(options.timeout()).isEqualTo(Duration.ofMillis(50));
        assertThat(options.replicas()).isZero();
        assertThat(options.login()).isNull();
        assertThat(options.tls()).isFalse();
    }

    @Test
    void parse_everyPart_isRead() {
        RedisStoreOptions options =
                RedisStoreOptions.parse("rediss://us%3Aer:p%40ss%2Fw+rd@[::1]:7000/3?prefix=a.b&timeout=2s&wait=1");
        assertThat(options.login()).isEqualTo(new Login("us:er", "p@ss/w+rd"));
        assertThat(options.nodes()).containsExactly(new Node("::1", 7000));
        assertThat(options.database()).isEqualTo(3);
        assertThat(options.tls()).isTrue();
        assertThat(options.prefix()).isEqualTo("a.b");
        assertThat(options.timeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(options.replicas()).isEqualTo(1);
    }

    @Test
    void parse_clusterAndSentinel_nameSeveralHosts() {
        assertThat(RedisStoreOptions.parse("redis-cluster://a:1,b:2,c").nodes())
                .containsExactly(new Node("a", 1), new Node("b", 2), new Node("c", 6379));
        RedisStoreOptions sentinel = RedisStoreOptions.parse("redis-sentinel://:secret@a,b:5/mymaster?tls=true");
        assertThat(sentinel.nodes()).containsExactly(new Node("a", 26379), new Node("b", 5));
        assertThat(sentinel.master()).isEqualTo("mymaster");
        assertThat(sentinel.tls()).isTrue();
        assertThat(sentinel.login()).isEqualTo(new Login("", "secret"));
    }

    @Test
    void parse_whatIsWrong_saysSoWithoutTheSecret() {
        for (String uri : List.of(
                "redis://u:hunter2@",
                "redis://u:hunter2@h:0",
                "redis://u:hunter2@h:99999",
                "redis://u:hunter2@h:x",
                "redis://u:hunter2@a,b",
                "redis://u:hunter2@h/x",
                "redis://u:hunter2@h?colour=red",
                "redis://u:hunter2@h?timeout",
                "redis://u:hunter2@h?timeout=fast",
                "redis://u:hunter2@h?timeout=0ms",
                "redis://u:hunter2@h?wait=-1",
                "redis://u:hunter2@h?wait=1&wait=2",
                "redis://u:hunter2@h?prefix=a{b}",
                "redis://u:hunter2@h?tls=yes",
                "redis://u:hunter2%zz@h",
                "redis-cluster://u:hunter2@h/1",
                "redis-sentinel://u:hunter2@h",
                "redi://u:hunter2@h")) {
            assertThatIllegalArgumentException()
                    .as(uri)
                    .isThrownBy(() -> RedisStoreOptions.parse(uri))
                    .satisfies(thrown -> assertThat(thrown.getMessage())
                            .isNotBlank()
                            .doesNotContain("hunter2")
                            .doesNotContain("u:"));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisStoreOptions.parse("redis://h?colour=red"))
                .withMessageContaining("colour")
                .withMessageContaining("prefix, timeout, wait");
    }

    @Test
    void toString_withALogin_hidesIt() {
        assertThat(RedisStoreOptions.parse("redis://u5er:hunter2@h").toString())
                .doesNotContain("hunter2")
                .doesNotContain("u5er");
    }

    @Test
    void open_nobodyListens_failsAndNamesThePlace() {
        int port = Ports.reserve();
        assertThatThrownBy(() -> RedisStore.open(RedisStoreOptions.parse("redis://u:hunter2@127.0.0.1:" + port)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("127.0.0.1:" + port)
                .hasMessageContaining("refused")
                .satisfies(thrown -> assertThat(allMessages(thrown)).doesNotContain("hunter2"));
    }

    @Test
    void open_withAPassword_isLetInAndOtherwiseToldWhy() {
        try (RedisProcess redis = RedisProcess.start("--requirepass", "hunter2")) {
            String place = "127.0.0.1:" + redis.port();
            RedisStore.open(RedisStoreOptions.parse("redis://:hunter2@" + place))
                    .close();
            RedisStore.open(RedisStoreOptions.parse("redis://default:hunter2@" + place))
                    .close();
            assertThat(refusal("redis://" + place))
                    .isEqualTo("Redis at " + place + " asks for a password (NOAUTH); set it in the store's URI, as in"
                            + " redis://user:password@host");
            assertThat(refusal("redis://:hunter3@" + place))
                    .isEqualTo(
                            "Redis at " + place + " refuses the user or the password (WRONGPASS); correct them in the"
                                    + " store's URI, as in redis://user:password@host");
            for (String uri : List.of("redis://" + place, "redis://:hunter3@" + place)) {
                assertThatThrownBy(() -> RedisStore.open(RedisStoreOptions.parse(uri)))
                        .isInstanceOf(StoreException.class)
                        .satisfies(thrown -> assertThat(allMessages(thrown))
                                .containsAnyOf("NOAUTH", "WRONGPASS")
                                .doesNotContain("hunter"));
            }
        }
    }

    /** Lettuce may notice the end of the connection before the response that says why. */
    @Test
    void open_withAWrongPassword_isToldWhy_evenIfTheReasonWasLostAtFirst() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> rejectLogins(server));
            thread.setDaemon(true);
            thread.start();
            assertThat(refusal("redis://:hunter3@127.0.0.1:" + server.getLocalPort()))
                    .contains("(WRONGPASS)");
        }
    }

    /** Closes the first connection without a response. */
    private static void rejectLogins(ServerSocket server) {
        for (int connection = 0; !server.isClosed(); connection++) {
            try (Socket socket = server.accept()) {
                InputStream in = socket.getInputStream();
                int unused = in.read();
                if (connection > 0) {
                    socket.getOutputStream().write("-WRONGPASS no\r\n".getBytes(StandardCharsets.US_ASCII));
                    in.transferTo(OutputStream.nullOutputStream());
                }
            } catch (IOException e) {
                // The client or the test has ended.
            }
        }
    }

    private static String refusal(String uri) {
        StoreException failure =
                catchThrowableOfType(StoreException.class, () -> RedisStore.open(RedisStoreOptions.parse(uri)));
        assertThat(failure.retryable())
                .as("it stays wrong until it is corrected")
                .isFalse();
        return failure.getMessage();
    }

    @Test
    void engine_namesTheStoreOnce_withCauseAndCure() {
        int port = Ports.reserve();
        assertThatThrownBy(() -> engine("redis://u:hunter2@127.0.0.1:" + port))
                .hasMessage("the store cannot be opened: Redis at 127.0.0.1:" + port + " cannot be reached: connection"
                        + " refused; see that it runs and can be reached from here");
        try (RedisProcess redis = RedisProcess.start("--requirepass", "hunter2")) {
            assertThatThrownBy(() -> engine("redis://:hunter3@127.0.0.1:" + redis.port()))
                    .hasMessage(
                            "the store cannot be opened: Redis at 127.0.0.1:" + redis.port() + " refuses the user or"
                                    + " the password (WRONGPASS); correct them in the store's URI, as in"
                                    + " redis://user:password@host");
        }
        try (RedisProcess redis = RedisProcess.start();
                Weir weir = engine("redis://127.0.0.1:" + redis.port() + "?timeout=5s")) {
            redis.kill();
            String gone = "there is no connection to Redis at 127.0.0.1:" + redis.port()
                    + "; see that it runs and can be reached";
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThatThrownBy(() -> weir.reset(Map.of("user", "u")))
                            .hasMessage("the store does not answer: " + gone));
        }
    }

    private static Weir engine(String store) {
        Configuration configuration = new ConfigurationReader(name -> null)
                .read("test.yaml", "limits: [{ name: users, per: [user], rate: 5/min }]")
                .orThrow();
        return Weir.open(configuration, WeirOptions.defaults().withStore(store));
    }

    private static String allMessages(Throwable thrown) {
        StringBuilder all = new StringBuilder();
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            all.append(each).append('\n');
        }
        return all.toString();
    }
}

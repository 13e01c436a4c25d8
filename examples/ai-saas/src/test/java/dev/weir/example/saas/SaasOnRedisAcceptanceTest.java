package dev.weir.example.saas;

import static dev.weir.example.saas.Visitor.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.fixture.RedisProcess;
import io.lettuce.core.RedisClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reference system B as an application on a real Redis, which two nodes share. */
@Tag("io")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class SaasOnRedisAcceptanceTest {
    private RedisProcess redis;
    private String uri;
    private final List<SaasServer> nodes = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        redis = RedisProcess.start();
        uri = redis.uri() + "?timeout=30s";
        for (int i = 0; i < 2; i++) {
            // A test machine may be busy, and must not refuse because of that.
            WeirOptions options = WeirOptions.defaults()
                    .withStore(uri)
                    .withGuard(GuardOptions.defaults().withDeadline(Duration.ofMinutes(1)));
            Weir weir = Weir.open(
                    new ConfigurationReader(name -> null).preset("ai-saas").orThrow(), options);
            nodes.add(SaasServer.start("127.0.0.1", 0, weir));
        }
    }

    @AfterEach
    void stop() throws Exception {
        nodes.forEach(SaasServer::close);
        redis.close();
    }

    private Visitor at(int node, String member) {
        return new Visitor(nodes.get(node), member);
    }

    @Test
    void B1_nodesTogetherAdmitExactlyTheLimit() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(at(i % 2, "mona").getLater("/api/export"));
        }
        int admitted = 0;
        for (CompletableFuture<HttpResponse<String>> one : all) {
            admitted += one.get(90, TimeUnit.SECONDS).statusCode() == 200 ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(10);
    }

    @Test
    void B5_aCompletionIsOneScriptBeforeAndOneAfter() throws Exception {
        at(0, "anna").ask("warm up", 5);
        long before = scripts();
        for (int i = 0; i < 10; i++) {
            assertThat(at(0, "anna").ask("tell me", 5).statusCode()).isEqualTo(200);
        }
        assertThat(scripts() - before).isEqualTo(20);
    }

    @Test
    void B7_aBudgetIsOneForAllNodes() throws Exception {
        assertThat(at(0, "fay").ask("tell me something", 200).body()).endsWith("event: done\ndata: 9\n\n");
        assertThat(at(1, "fay").left("ai_tokens")).isEqualTo(10_000 - 9);
        assertThat(at(1, "fay").ask("tell me", 9_990).statusCode()).isEqualTo(429);
        assertThat(at(0, "fay").left("ai_tokens")).isEqualTo(10_000 - 9);
    }

    @Test
    void B8_connectionsAreCountedOverAllNodes() throws Exception {
        WebSocket only = at(0, "fay").connect().get(90, TimeUnit.SECONDS);
        assertThat(at(1, "fay").refusedHandshake()).isEqualTo(429);
        only.abort();
        await().untilAsserted(() -> assertThat(at(1, "fay").left("connections")).isEqualTo(1));
        at(1, "fay").connect().get(90, TimeUnit.SECONDS).abort();
    }

    @Test
    void B8_connectionsOfANodeThatWasKilled_areFreeByThemselves() throws Exception {
        Process node = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Dweir.websocket.slot-ttl=4s",
                        "-Dweir.guard.deadline=1m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "--port",
                        "0",
                        "--store",
                        uri)
                .redirectErrorStream(true)
                .start();
        try {
            Visitor there = new Visitor(portOf(node), "fay");
            there.connect().get(90, TimeUnit.SECONDS);
            // It is held for longer than the lease lasts: the remaining node renews it.
            await().pollInterval(Duration.ofSeconds(2))
                    .during(Duration.ofSeconds(6))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> at(1, "fay").left("connections") == 0);
            assertThat(at(1, "fay").refusedHandshake()).isEqualTo(429);
            node.destroyForcibly().waitFor();
            await().pollInterval(Duration.ofSeconds(1))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> at(1, "fay").left("connections") == 1);
            at(1, "fay").connect().get(90, TimeUnit.SECONDS).abort();
        } finally {
            node.destroyForcibly();
        }
    }

    private static int portOf(Process node) throws IOException {
        BufferedReader said = node.inputReader();
        StringBuilder all = new StringBuilder();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            Matcher port = Pattern.compile("listening on http://.*:(\\d+)").matcher(line);
            if (port.find()) {
                return Integer.parseInt(port.group(1));
            }
            all.append(line).append('\n');
        }
        throw new AssertionError("it did not start: " + all);
    }

    @Test
    void B12_withoutRedis_theServiceRefuses_andComesBackByItself() throws Exception {
        assertThat(at(0, "anna").get("/api/profile").statusCode()).isEqualTo(200);
        redis.kill();
        HttpResponse<String> refused = at(0, "anna").get("/api/profile");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(header(refused, "Retry-After")).isEqualTo("60");
        assertThat(refused.body()).contains("Rate limiter temporarily unavailable");
        redis.restart();
        await().untilAsserted(() ->
                assertThat(at(0, "anna").get("/api/profile").statusCode()).isEqualTo(200));
    }

    private long scripts() {
        try (RedisClient client = RedisClient.create(redis.uri());
                var connection = client.connect()) {
            Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
                    .matcher(connection.sync().info("commandstats"));
            return calls.find() ? Long.parseLong(calls.group(1)) : 0;
        }
    }
}

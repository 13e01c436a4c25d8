package dev.weir.server;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("io")
class OperationsTest {
    @TempDir
    Path directory;

    @Test
    void health_isUp_andMetricsTellWhatHappened() {
        try (TestServer server = TestServer.preset("agent-hub")) {
            assertThat(json(server.get("/health/live")).get("status").asText()).isEqualTo("up");
            assertThat(server.get("/health/ready").statusCode()).isEqualTo(200);
            server.check("{\"agent\":\"m\",\"action\":\"ping\"}");
            HttpResponse<String> metrics = server.get("/metrics");
            assertThat(metrics.headers().firstValue("Content-Type").orElseThrow())
                    .startsWith("text/plain");
            assertThat(metrics.body())
                    .contains("weir_decisions_total{outcome=\"allowed\"} 1.0")
                    .contains("weir_checks_total{limit=\"agent\",outcome=\"allowed\"} 1.0")
                    .contains("weir_http_connections")
                    .doesNotContain("\"m\"");
        }
    }

    @Test
    void events_tellWhoWasRefused_asTheyHappen() throws Exception {
        try (TestServer server = TestServer.preset("agent-hub")) {
            CopyOnWriteArrayList<String> lines = new CopyOnWriteArrayList<>();
            Stream<String> stream = server.client
                    .send(
                            HttpRequest.newBuilder(URI.create(server.server.url() + "/v1/events"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofLines())
                    .body();
            Thread reader = new Thread(() -> stream.forEach(lines::add));
            reader.setDaemon(true);
            reader.start();
            await().until(() -> lines.contains("event: stats"));
            for (int i = 0; i < 11; i++) {
                server.check("{\"agent\":\"loud\",\"action\":\"task_submit\"}");
            }
            await().until(() -> lines.contains("event: system.rate_limit_exceeded.v1"));
            assertThat(lines).anyMatch(line -> line.contains("rate_limit_exceeded") && line.contains("\"limit\":10"));
        }
    }

    @Test
    void A8_subjects_tellWhoIsThrottled() {
        try (TestServer server = TestServer.preset("agent-hub")) {
            for (int i = 0; i < 13; i++) {
                server.check("{\"agent\":\"a/b c\",\"action\":\"task_submit\"}");
            }
            var subject = json(server.get("/v1/subjects/agent/a%2Fb%20c"));
            assertThat(subject.get("throttled").asBoolean()).isTrue();
            assertThat(subject.get("consecutive_violations").asLong()).isEqualTo(3);
            assertThat(subject.get("throttled_until").asLong()).isGreaterThan(System.currentTimeMillis() / 1000);
            assertThat(subject.get("buckets")).hasSize(9);
            assertThat(subject.get("buckets").toString()).contains("\"capacity\":10,\"remaining\":0,\"used\":10");
            await().untilAsserted(() -> {
                var list = json(server.get("/v1/subjects?throttled=true")).get("subjects");
                assertThat(list).hasSize(1);
                assertThat(list.get(0).get("value").asText()).isEqualTo("a/b c");
                assertThat(list.get(0).get("violations").asLong()).isEqualTo(3);
            });
            assertThat(json(server.get("/v1/subjects/agent/calm"))
                            .get("throttled")
                            .asBoolean())
                    .isFalse();
        }
    }

    @Test
    void B10_rateLimits_tellThePlanAndEachLimit() {
        try (TestServer server = TestServer.preset("ai-saas")) {
            server.check("{\"user\":\"u1\",\"plan\":\"monthly\",\"ip\":\"203.0.113.7\",\"path\":\"/api/x\"}");
            var answer = json(server.get("/api/rate-limits?user=u1&plan=monthly"));
            assertThat(answer.get("plan").asText()).isEqualTo("monthly");
            assertThat(answer.get("limits").toString())
                    .contains(
                            "\"resource\":\"general\"", "\"limit\":300,\"remaining\":299", "\"window\":\"per minute\"")
                    .contains("\"resource\":\"ai_tokens\"", "\"limit\":100000", "\"window\":\"per day\"")
                    .contains("\"resource\":\"connections\"", "\"limit\":3");
            assertThat(server.get("/api/rate-limits").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void changedFile_isTakenUp_andOneWithFaultsIsNot() throws Exception {
        Path file = directory.resolve("weir.yaml");
        String yaml = "version: 1\nlimits:\n  - { name: a, per: [user], rate: %s }\n";
        Files.writeString(file, yaml.formatted("5/min"));
        try (TestServer server = TestServer.start(ServerOptions.of(ConfigurationSource.file(file)))) {
            assertThat(json(server.check("{\"user\":\"u\"}")).get("capacity").asLong())
                    .isEqualTo(5);
            Files.writeString(file, yaml.formatted("nonsense"));
            assertThat(server.server.reload()).hasSize(1);
            assertThat(json(server.check("{\"user\":\"u\"}")).get("capacity").asLong())
                    .isEqualTo(5);
            Files.writeString(file, yaml.formatted("7/min"));
            await().untilAsserted(() -> assertThat(json(server.post("/v1/peek", "{\"attributes\":{\"user\":\"u\"}}"))
                            .get("capacity")
                            .asLong())
                    .isEqualTo(7));
        }
    }

    @Test
    void start_thatCannot_saysWhy() throws Exception {
        StartException bad = start(ServerOptions.of(ConfigurationSource.text("bad.yaml", "limits: [{}]")));
        assertThat(bad.why().exitCode()).isEqualTo(1);
        assertThat(bad).hasMessageContaining("bad.yaml:1:");
        assertThat(start(ServerOptions.of(ConfigurationSource.preset("chat")).withStore("nothing://secret@x"))
                        .getMessage())
                .doesNotContain("secret");
        try (ServerSocket taken = new ServerSocket(0)) {
            StartException port = start(
                    ServerOptions.of(ConfigurationSource.preset("chat")).withAddress("0.0.0.0", taken.getLocalPort()));
            assertThat(port.why().exitCode()).isEqualTo(3);
        }
        Path file = Files.writeString(directory.resolve("file"), "");
        StartException store =
                start(ServerOptions.of(ConfigurationSource.preset("chat")).withData(file));
        assertThat(store.why().exitCode()).isEqualTo(2);
    }

    private static StartException start(ServerOptions options) {
        return catchThrowableOfType(StartException.class, () -> WeirServer.start(options));
    }

    @Test
    void drain_readinessGoesDownFirst() throws Exception {
        TestServer server = TestServer.asIs(
                ServerOptions.of(ConfigurationSource.preset("chat")).withDrainDelay(Duration.ofSeconds(8)));
        Thread closing = new Thread(server::close);
        closing.start();
        await().pollInterval(Duration.ofMillis(50))
                .until(() -> server.get("/health/ready").statusCode() == 503);
        assertThat(server.get("/health/live").statusCode()).isEqualTo(200);
        assertThat(server.check("{\"user\":\"late\",\"type\":\"x\"}").statusCode())
                .isEqualTo(200);
        closing.join(90_000);
        assertThat(closing.isAlive()).isFalse();
    }
}

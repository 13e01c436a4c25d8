package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.fixture.TestTimeouts;
import dev.weir.server.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Decisions as they are made. */
@Tag("io")
class TailStreamTest {
    private final TestServer server = TestServer.yaml("""
            version: 1
            limits:
              - { name: heavy, match: { action: submit }, per: [agent], rate: 1/day }
              - { name: light, match: { action: ping }, per: [agent], rate: 100000/day }
            """);

    @AfterEach
    void close() {
        server.close();
    }

    private BufferedReader tail(String query) throws IOException, InterruptedException {
        InputStream body = server.client
                .send(
                        HttpRequest.newBuilder(URI.create(server.server.url() + "/v1/tail" + query))
                                .timeout(TestTimeouts.LONG)
                                .build(),
                        BodyHandlers.ofInputStream())
                .body();
        BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
        next(lines, "second");
        return lines;
    }

    /** The data of the next event of this name. */
    private static JsonNode next(BufferedReader lines, String event) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals("event: " + event)) {
                return TestServer.json(lines.readLine().substring("data: ".length()));
            }
        }
        throw new AssertionError("the stream has ended");
    }

    @Test
    void decisions_areSentWithTheirReason() throws Exception {
        try (BufferedReader lines = tail("")) {
            server.check("{\"agent\":\"a1\",\"action\":\"submit\"}");
            server.check("{\"agent\":\"a1\",\"action\":\"submit\"}");
            JsonNode allowed = next(lines, "decision");
            assertThat(allowed.get("allowed").asBoolean()).isTrue();
            assertThat(allowed.get("limit").asText()).isEqualTo("heavy");
            JsonNode denied = next(lines, "decision");
            assertThat(denied.get("allowed").asBoolean()).isFalse();
            assertThat(denied.get("reason").asText()).isEqualTo("limited");
            assertThat(denied.get("key").toString()).isEqualTo("{\"agent\":\"a1\"}");
            assertThat(denied.get("attributes").toString()).isEqualTo("{\"action\":\"submit\",\"agent\":\"a1\"}");
            assertThat(denied.get("retry_after_ms").asLong()).isPositive();
        }
    }

    @Test
    void filters_areLimitReasonAndAttributes() throws Exception {
        try (BufferedReader lines = tail("?reason=limited&limit=heavy&agent=a2")) {
            for (String agent : new String[] {"a1", "a2"}) {
                server.check("{\"agent\":\"" + agent + "\",\"action\":\"ping\"}");
                server.check("{\"agent\":\"" + agent + "\",\"action\":\"submit\"}");
                server.check("{\"agent\":\"" + agent + "\",\"action\":\"submit\"}");
            }
            JsonNode denied = next(lines, "decision");
            assertThat(denied.at("/attributes/agent").asText()).isEqualTo("a2");
            assertThat(denied.get("reason").asText()).isEqualTo("limited");
        }
        assertThat(server.get("/v1/tail?reason=nonsense").statusCode()).isEqualTo(400);
    }

    @Test
    void manyDecisions_areSampled_andTheClientIsTold() throws Exception {
        try (BufferedReader lines = tail("")) {
            for (int i = 0; i < 3000; i++) {
                server.server.weir().check(Map.of("agent", "a1", "action", "ping"));
            }
            JsonNode second = next(lines, "second");
            while (!second.get("sampled").asBoolean()) {
                second = next(lines, "second");
            }
            assertThat(second.get("sent").asLong()).isLessThanOrEqualTo(200);
            assertThat(second.get("decisions").asLong())
                    .isGreaterThan(second.get("sent").asLong());
        }
    }
}

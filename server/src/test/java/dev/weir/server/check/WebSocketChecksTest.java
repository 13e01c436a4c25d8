package dev.weir.server.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.server.TestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class WebSocketChecksTest {
    private TestServer server;

    @BeforeEach
    void start() {
        server = TestServer.preset("agent-hub");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void a5a6a7_heavyMessages_areWarnedThenRefusedAndTheConnectionStays() throws Exception {
        TestServer.Frames frames = server.frames();
        String frame = "{\"id\":%d,\"attributes\":{\"agent\":\"a1\",\"channel\":\"ws\",\"action\":\"task_submit\"}}";
        for (int i = 1; i <= 10; i++) {
            JsonNode answer = frames.ask(frame.formatted(i));
            assertThat(answer.get("id").asInt()).isEqualTo(i);
            assertThat(answer.get("allowed").asBoolean()).isTrue();
            assertThat(answer.get("type").asText()).isEqualTo(i == 8 ? "rate_limit_warning" : "allowed");
            if (i == 8) {
                assertThat(answer.get("tier").asText()).isEqualTo("heavy");
                assertThat(answer.get("remaining").asLong()).isEqualTo(2);
                assertThat(answer.get("capacity").asLong()).isEqualTo(10);
            }
        }
        long[] least = {1_000, 2_000, 5_000, 10_000, 30_000, 30_000};
        for (long backoff : least) {
            JsonNode denied = frames.ask(frame.formatted(99));
            assertThat(denied.get("type").asText()).isEqualTo("rate_limited");
            assertThat(denied.get("tier").asText()).isEqualTo("heavy");
            assertThat(denied.get("retry_after_ms").asLong()).isGreaterThanOrEqualTo(backoff);
            assertThat(denied.get("retry_after_ms").asLong() % 1000).isZero();
        }
        assertThat(frames.ask("{\"attributes\":{\"agent\":\"a1\",\"channel\":\"ws\",\"action\":\"ping\"}}")
                        .get("type")
                        .asText())
                .isEqualTo("allowed");
        // The HTTP limit is a separate one.
        assertThat(server.check("{\"agent\":\"a1\",\"channel\":\"http\",\"action\":\"task_submit\"}")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void A18_tenMalformedFrames_endTheConnection() throws Exception {
        TestServer.Frames frames = server.frames();
        for (int i = 0; i < 10; i++) {
            JsonNode answer = frames.ask("{\"attributes\":" + "[".repeat(i));
            assertThat(answer.get("type").asText()).isEqualTo("error");
        }
        assertThat(frames.closeCode()).isEqualTo(1008);
    }

    @Test
    void anId_ofAnyPlainKind_isEchoed() throws Exception {
        TestServer.Frames frames = server.frames();
        assertThat(frames.ask("{\"id\":\"a\\\"<b\",\"attributes\":{}}")
                        .get("id")
                        .asText())
                .isEqualTo("a\"<b");
        assertThat(frames.ask("{\"id\":7,\"attributes\":{}}").get("id").asInt()).isEqualTo(7);
        assertThat(frames.ask("{\"id\":{},\"attributes\":{}}").get("field").asText())
                .isEqualTo("id");
    }

    @Test
    void close_tellsSocketsThatTheServerGoes() throws Exception {
        TestServer.Frames frames = server.frames();
        assertThat(frames.ask("{\"attributes\":{}}").get("type").asText()).isEqualTo("allowed");

        server.close();

        assertThat(frames.closeCode()).isEqualTo(1001);
    }

    @Test
    void plainRequest_is400() {
        assertThat(server.get("/v1/ws").statusCode()).isEqualTo(400);
    }

    @Test
    void frameTooLarge_endsTheConnection() throws Exception {
        TestServer.Frames frames = server.frames();
        frames.socket.sendText("x".repeat(70_000), true).join();
        assertThat(frames.closeCode()).isEqualTo(1009);
        assertThat(server.get("/health/live").statusCode()).isEqualTo(200);
    }
}

package dev.weir.server;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The list of throttled subjects. */
@Tag("io")
class SubjectsTest {
    @Test
    void list_isAnswered_howeverManyThereAre() {
        try (TestServer server = TestServer.yaml("""
                version: 1
                limits:
                  - { name: one, per: [agent], rate: 1/day }
                penalty: { per: [agent], backoff: [10m], reset-after: 10m }
                """)) {
            for (int i = 0; i < 1100; i++) {
                server.post("/v1/check", "{\"attributes\":{\"agent\":\"a" + i + "\"},\"cost\":2}");
            }
            await().until(() -> json(server.get("/v1/subjects?throttled=true"))
                            .get("subjects")
                            .size()
                    == 1000);
            assertThat(server.get("/v1/subjects?throttled=true").statusCode()).isEqualTo(200);
        }
    }
}

package dev.weir.server;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client that reserves without end is refused, and no other client is. */
@Tag("io")
class ReservationFloodTest {
    private static final String FLOOD = "{\"attributes\":{\"user\":\"flood\"},\"ttl\":\"1h\"}";

    @Test
    void client_thatLeavesReservationsOpen_isRefused_andNobodyElse() {
        try (TestServer server = TestServer.yaml("""
                on-store-failure: allow
                holds: { open-reservations: 50 }
                limits: [{ name: requests, per: [user], rate: 1000000/s }]
                """)) {
            String last = "";
            for (int i = 0; i < 50; i++) {
                HttpResponse<String> reserved = server.post("/v1/reservations", FLOOD);
                assertThat(reserved.statusCode()).isEqualTo(201);
                last = json(reserved).get("id").asText();
            }
            for (int i = 0; i < 20; i++) {
                HttpResponse<String> refused = server.post("/v1/reservations", FLOOD);
                assertThat(refused.statusCode()).isEqualTo(429);
                assertThat(json(refused).get("reason").asText()).isEqualTo("unavailable");
                assertThat(json(refused).get("message").asText()).contains("Too many reservations are open");
            }
            assertThat(server.check("{\"user\":\"honest\"}").statusCode()).isEqualTo(200);
            assertThat(server.check("{\"user\":\"flood\"}").statusCode()).isEqualTo(200);
            assertThat(server.post("/v1/reservations", FLOOD.replace("flood", "honest"))
                            .statusCode())
                    .isEqualTo(201);
            assertThat(server.send("GET", "/health/ready", null).statusCode()).isEqualTo(200);
            assertThat(server.send("DELETE", "/v1/reservations/" + last, null).statusCode())
                    .isEqualTo(204);
            assertThat(server.post("/v1/reservations", FLOOD).statusCode()).isEqualTo(201);
        }
    }
}

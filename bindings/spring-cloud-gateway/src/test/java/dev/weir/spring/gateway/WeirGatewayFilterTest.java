package dev.weir.spring.gateway;

import static dev.weir.spring.gateway.Gateway.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.EdgeVectors;
import dev.weir.testkit.FailureInjectingStore;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The filter of routes, in a real gateway with a real upstream. */
@Tag("io")
class WeirGatewayFilterTest {
    private static final String ROUTES = """
            spring.cloud.gateway.server.webflux:
              routes:
                - id: orders
                  uri: http://127.0.0.1:9000
                  predicates: [ "Path=/orders/**" ]
                  filters: [ Weir ]
                - id: reports
                  uri: http://127.0.0.1:9000
                  predicates: [ "Path=/reports/**" ]
                  filters:
                    - name: Weir
                      args: { attributes: { tier: heavy } }
                    - StripPrefix=1
                - id: free
                  uri: http://127.0.0.1:9000
                  predicates: [ "Path=/free/**" ]
            """;
    private static final String ALL_PATHS = """
            spring.cloud.gateway.server.webflux:
              routes:
                - { id: all, uri: "http://127.0.0.1:9000", predicates: [ "Path=/**" ], filters: [ Weir ] }
            """;

    @TempDir
    Path directory;

    private Upstream upstream;

    @BeforeEach
    void start() throws Exception {
        upstream = new Upstream();
    }

    @AfterEach
    void stop() {
        upstream.close();
    }

    @Test
    void route_withTheFilter_isLimitedWithExactHeaders() throws Exception {
        try (Gateway gateway = gateway("""
                weir.limits:
                  - { name: orders, match: { route: orders, method: GET }, per: [ip], rate: 3/min }
                """)) {
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> served = gateway.send(i == 1 ? "HEAD" : "GET", "/orders/" + i);
                assertThat(served.statusCode()).isEqualTo(200);
                assertThat(served.body()).isEqualTo(i == 1 ? "" : "served /orders/" + i);
                assertThat(header(served, "X-RateLimit-Limit"))
                        .as("in place of the upstream's own")
                        .isEqualTo("3");
                assertThat(header(served, "X-RateLimit-Remaining")).isEqualTo(Integer.toString(2 - i));
                assertThat(header(served, "X-RateLimit-Reset")).matches("\\d{10}");
                assertThat(header(served, "RateLimit-Policy")).isEqualTo("\"orders\";q=3;w=60");
                assertThat(header(served, "RateLimit")).isEqualTo("\"orders\";r=%d;t=%d".formatted(2 - i, 20 * i + 20));
                assertThat(header(served, "Retry-After")).isEmpty();
            }
            HttpResponse<String> refused = gateway.get("/orders/4");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "X-RateLimit-Limit")).isEqualTo("3");
            assertThat(header(refused, "X-RateLimit-Remaining")).isEqualTo("0");
            assertThat(header(refused, "RateLimit")).isEqualTo("\"orders\";r=0;t=60");
            assertThat(header(refused, "Retry-After")).isEqualTo("20");
            assertThat(header(refused, "Content-Type")).isEqualTo("application/problem+json");
            assertThat(refused.body())
                    .contains("\"title\":\"Too Many Requests\"", "\"limit\":\"orders\"", "\"retry_after_ms\":20000");
            assertThat(upstream.served()).isEqualTo(3);

            HttpResponse<String> free = gateway.get("/free/1");
            assertThat(free.statusCode()).isEqualTo(200);
            assertThat(header(free, "X-RateLimit-Limit")).isEqualTo("999");
            assertThat(gateway.send("DELETE", "/orders/1").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void arguments_ofARoute_areAttributes() throws Exception {
        try (Gateway gateway = gateway("""
                weir.limits:
                  - { name: heavy, match: { tier: heavy, path: "/reports/**" }, per: [ip], rate: 1/min }
                """)) {
            assertThat(gateway.get("/reports/1").body()).isEqualTo("served /1");
            assertThat(gateway.get("/reports/1").statusCode()).isEqualTo(429);
            assertThat(header(gateway.get("/orders/1"), "RateLimit-Policy")).isEmpty();
        }
    }

    @Test
    void user_isThePrincipal() throws Exception {
        try (Gateway gateway = gateway("""
                weir.limits:
                  - { name: users, per: [user], rate: 1/min, on-missing: deny }
                """)) {
            assertThat(gateway.get("/orders/1", "Authorization", login("ann")).statusCode())
                    .isEqualTo(200);
            assertThat(gateway.get("/orders/1", "Authorization", login("ann")).statusCode())
                    .isEqualTo(429);
            assertThat(gateway.get("/orders/1", "Authorization", login("ben")).statusCode())
                    .isEqualTo(200);
            assertThat(gateway.get("/orders/1").statusCode()).isEqualTo(429);
        }
    }

    @Test
    void responses_ofTheUpstream_decideWhatIsCharged() throws Exception {
        try (Gateway gateway = gateway("""
                weir.limits:
                  - { name: failures, per: [ip], rate: 2/hour, charge: on-status 5xx }
                """)) {
            for (int i = 0; i < 3; i++) {
                assertThat(header(gateway.get("/orders/1"), "X-RateLimit-Remaining"))
                        .isEqualTo("2");
            }
            assertThat(gateway.get("/orders/fail").statusCode()).isEqualTo(500);
            assertThat(header(gateway.get("/orders/fail"), "X-RateLimit-Remaining"))
                    .isEqualTo("0");
            assertThat(gateway.get("/orders/1").statusCode()).isEqualTo(429);
        }
    }

    @Test
    void storeThatFails_isDecidedByThePolicyOfEachLimit() throws Exception {
        try (Gateway gateway = gateway("""
                weir.limits:
                  - { name: orders, match: { route: orders }, per: [ip], rate: 10/min }
                  - { name: reports, match: { route: reports }, per: [ip], rate: 10/min, on-store-failure: allow }
                """)) {
            gateway.store().be(FailureInjectingStore.Behavior.FAILS);
            HttpResponse<String> refused = gateway.get("/orders/1");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Retry-After")).isNotEmpty();
            assertThat(refused.body()).contains("\"reason\":\"unavailable\"");
            assertThat(gateway.get("/reports/1").statusCode()).isEqualTo(200);
            assertThat(upstream.served()).isEqualTo(1);
        }
    }

    @Test
    void webFilter_thatIsEnabled_chargesARequestOnce() throws Exception {
        try (Gateway gateway = gateway("""
                weir.filter: { enabled: true, paths: "/orders/**" }
                weir.limits:
                  - { name: all, per: [ip], rate: 10/min }
                """)) {
            assertThat(header(gateway.get("/orders/1"), "X-RateLimit-Remaining"))
                    .isEqualTo("9");
            assertThat(header(gateway.get("/reports/1"), "X-RateLimit-Remaining"))
                    .isEqualTo("8");
        }
    }

    @Test
    void paths_areCountedAsTheyAreServed() throws Exception {
        String limits = "weir.limits: [{ name: protected, match: { path: " + EdgeVectors.PROTECTED
                + " }, rate: 1000000/hour }]\n";
        try (Gateway gateway = Gateway.start(Gateway.Application.class, directory, ALL_PATHS + limits, upstream)) {
            assertThat(EdgeVectors.pathFaults(gateway.port())).isEmpty();
        }
    }

    @Test
    void addresses_areOneClient() throws Exception {
        for (String header : new String[] {"x-forwarded-for", "forwarded"}) {
            Path limits = Files.writeString(directory.resolve(header + ".yaml"), EdgeVectors.addressYaml(header));
            try (Gateway gateway = Gateway.start(
                    Gateway.Application.class, directory, ALL_PATHS + "weir.config: file:" + limits + "\n", upstream)) {
                assertThat(EdgeVectors.addressFaults(gateway.port(), header)).isEmpty();
            }
        }
    }

    private Gateway gateway(String limits) throws Exception {
        return Gateway.start(Gateway.Application.class, directory, ROUTES + limits, upstream);
    }

    static String login(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes());
    }
}

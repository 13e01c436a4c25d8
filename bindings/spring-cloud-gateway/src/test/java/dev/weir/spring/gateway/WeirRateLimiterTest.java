package dev.weir.spring.gateway;

import static dev.weir.spring.gateway.Gateway.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.FailureInjectingStore;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** The gateway's own filter with Weir as its limiter. */
@Tag("io")
class WeirRateLimiterTest {
    private static final String ROUTES = """
            spring.cloud.gateway.server.webflux:
              routes:
                - id: orders
                  uri: http://127.0.0.1:9000
                  predicates: [ "Path=/orders/**" ]
                  filters: [ RequestRateLimiter ]
                - id: reports
                  uri: http://127.0.0.1:9000
                  predicates: [ "Path=/reports/**" ]
                  filters:
                    - name: RequestRateLimiter
                      args:
                        weir-rate-limiter.key-attribute: tenant
                        weir-rate-limiter.attributes: { tier: heavy }
            weir.limits:
              - { name: users, match: { route: orders }, per: [user], rate: 2/min }
              - { name: tenants, match: { tier: heavy }, per: [tenant], rate: 1/min }
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

    @Configuration(proxyBeanMethods = false)
    static class Tenants extends Gateway.Application {
        @Bean
        KeyResolver tenant() {
            return exchange ->
                    Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-Tenant"));
        }
    }

    @Test
    void requests_ofAUser_areLimitedWithExactHeaders() throws Exception {
        try (Gateway gateway = Gateway.start(Gateway.Application.class, directory, ROUTES, upstream)) {
            String ann = WeirGatewayFilterTest.login("ann");
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> served = gateway.get("/orders/1", "Authorization", ann);
                assertThat(served.statusCode()).isEqualTo(200);
                assertThat(header(served, "X-RateLimit-Remaining")).isEqualTo(Integer.toString(1 - i));
                assertThat(header(served, "RateLimit-Policy")).isEqualTo("\"users\";q=2;w=60");
            }
            HttpResponse<String> refused = gateway.get("/orders/1", "Authorization", ann);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Retry-After")).isEqualTo("30");
            assertThat(header(refused, "RateLimit")).isEqualTo("\"users\";r=0;t=60");
            assertThat(refused.body()).isEmpty();
            assertThat(gateway.get("/orders/1", "Authorization", WeirGatewayFilterTest.login("ben"))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(upstream.served()).isEqualTo(3);
        }
    }

    @Test
    void arguments_ofARoute_nameTheAttributeOfTheKey() throws Exception {
        try (Gateway gateway = Gateway.start(Tenants.class, directory, ROUTES, upstream)) {
            assertThat(header(gateway.get("/reports/1", "X-Tenant", "a"), "RateLimit-Policy"))
                    .isEqualTo("\"tenants\";q=1;w=60");
            assertThat(gateway.get("/reports/1", "X-Tenant", "a").statusCode()).isEqualTo(429);
            assertThat(gateway.get("/reports/1", "X-Tenant", "b").statusCode()).isEqualTo(200);
            assertThat(header(gateway.get("/orders/1", "X-Tenant", "a"), "RateLimit-Policy"))
                    .as("the key is the user")
                    .isEqualTo("\"users\";q=2;w=60");
        }
    }

    @Test
    void storeThatFails_refuses() throws Exception {
        try (Gateway gateway = Gateway.start(Gateway.Application.class, directory, ROUTES, upstream)) {
            gateway.store().be(FailureInjectingStore.Behavior.FAILS);
            HttpResponse<String> refused =
                    gateway.get("/orders/1", "Authorization", WeirGatewayFilterTest.login("ann"));
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Retry-After")).isNotEmpty();
            assertThat(upstream.served()).isZero();
        }
    }
}

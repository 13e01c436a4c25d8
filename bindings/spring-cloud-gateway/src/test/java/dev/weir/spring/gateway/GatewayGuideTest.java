package dev.weir.spring.gateway;

import static dev.weir.spring.gateway.Gateway.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.JavaSnippet;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configurations of the guides run in a real gateway and behave as the pages describe. */
@Tag("io")
class GatewayGuideTest {
    private static final Path GUIDES = Path.of("../../docs");
    private static final String LOGIN = WeirGatewayFilterTest.login("ann");

    @TempDir
    Path directory;

    @Test
    void filter_ofTheGuide_limitsRoutes() throws Exception {
        try (Upstream upstream = new Upstream();
                Gateway gateway = start("spring-cloud-gateway.md", "yaml application", upstream)) {
            HttpResponse<String> order = gateway.get("/orders/1", "Authorization", LOGIN);
            assertThat(order.body()).isEqualTo("served /orders/1");
            assertThat(header(order, "RateLimit-Policy")).isEqualTo("\"addresses\";q=300;w=60, \"orders\";q=20;w=1");
            assertThat(gateway.get("/orders/1").statusCode())
                    .as("without a user")
                    .isEqualTo(429);
            for (int i = 0; i < 5; i++) {
                assertThat(gateway.get("/reports/1").body()).isEqualTo("served /1");
            }
            HttpResponse<String> refused = gateway.get("/reports/1");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Retry-After")).isEqualTo("12");
            assertThat(refused.body()).contains("\"limit\":\"heavy\"");
        }
    }

    @Test
    void limiter_ofTheGuide_limitsRoutes() throws Exception {
        try (Upstream upstream = new Upstream();
                Gateway gateway = start("spring-cloud-gateway.md", "yaml limiter", upstream)) {
            HttpResponse<String> order = gateway.get("/orders/1", "Authorization", LOGIN);
            assertThat(order.body()).isEqualTo("served /orders/1");
            assertThat(header(order, "RateLimit-Policy")).isEqualTo("\"orders\";q=20;w=2");
            assertThat(header(order, "X-RateLimit-Remaining")).isEqualTo("19");
        }
    }

    @Test
    void filter_ofTheGuideFromRedisRateLimiter_deniesRequestsWithoutAKey() throws Exception {
        try (Upstream upstream = new Upstream();
                Gateway gateway = start("migrating/spring-cloud-gateway.md", "yaml application", upstream)) {
            HttpResponse<String> order = gateway.get("/orders/1", "X-User", "ann");
            assertThat(order.statusCode()).isEqualTo(200);
            assertThat(header(order, "RateLimit-Policy")).isEqualTo("\"orders\";q=20;w=2");
            HttpResponse<String> missing = gateway.get("/orders/1");
            assertThat(missing.statusCode()).isEqualTo(429);
            assertThat(header(missing, "Retry-After")).isEmpty();
        }
    }

    private Gateway start(String guide, String fence, Upstream upstream) throws Exception {
        List<String> blocks = JavaSnippet.blocks(GUIDES.resolve(guide), fence);
        assertThat(blocks).as(guide + ", " + fence).hasSize(1);
        return Gateway.start(Gateway.Application.class, directory, blocks.get(0), upstream);
    }
}

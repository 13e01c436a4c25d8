package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.envoy.EnvoyVectors;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server in the place of envoyproxy/ratelimit, with a realistic file. */
@Tag("io")
class EnvoyServerTest {
    @TempDir
    private Path directory;

    @Test
    void files_areServed_unchanged_withTheStatisticsOfTheOriginal() throws IOException {
        Path file =
                Files.writeString(directory.resolve("config.yaml"), EnvoyVectors.resource("forty-descriptors.yaml"));
        try (TestServer server = TestServer.start(options(directory, false))) {
            assertThat(decide(server, "report", "monthly").statusCode()).isEqualTo(200);
            HttpResponse<String> last = decide(server, "report", "monthly");
            assertThat(TestServer.json(last).at("/statuses/0/limitRemaining").asInt())
                    .isEqualTo(2);
            assertThat(TestServer.json(last).at("/statuses/0/currentLimit/unit").asText())
                    .isEqualTo("MONTH");
            decide(server, "report", "monthly");
            decide(server, "report", "monthly");
            assertThat(decide(server, "report", "monthly").statusCode()).isEqualTo(429);

            assertThat(server.get("/metrics").body())
                    .contains("ratelimit_service_rate_limit_total_hits{domain=\"storefront\",key1=\"report\"} 5\n")
                    .contains("ratelimit_service_rate_limit_over_limit{domain=\"storefront\",key1=\"report\"} 1\n")
                    .contains("weir_checks_total{limit=\"storefront.report\",outcome=\"denied\"");
            assertThat(server.get("/rlconfig").body())
                    .contains("storefront.report: unit=MONTH requests_per_unit=4, shadow_mode: false");

            assertThat(server.post("/json", "{\"domain\":\"\"}").statusCode()).isEqualTo(400);
            assertThat(server.get("/metrics").body())
                    .contains("ratelimit_service_should_rate_limit_error{err_type=\"service_error\"} 1\n");

            Files.writeString(file, "domain: storefront\ndescriptors: none\n");
            assertThat(server.server.reload()).hasSize(1);
            assertThat(decide(server, "report", "monthly").statusCode())
                    .as("the last good configuration stays")
                    .isEqualTo(429);
            Files.writeString(file, "domain: storefront\n");
            assertThat(server.server.reload()).isEmpty();
            assertThat(decide(server, "report", "monthly").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void file_withFaults_isNotServed() throws IOException {
        Path file = Files.writeString(directory.resolve("config.yaml"), "domain: a\ndescriptor: []\n");

        assertThatThrownBy(() -> WeirServer.start(options(file, true)))
                .isInstanceOf(StartException.class)
                .hasMessage(file + ":2:1: unknown key 'descriptor' in the file; did you mean 'descriptors'?");
    }

    private static ServerOptions options(Path configuration, boolean strict) {
        return ServerOptions.of(ConfigurationSource.text("--envoy-config", "version: 1\nlimits: []\n"))
                .withEnvoy(new EnvoyOptions(configuration, strict));
    }

    private static HttpResponse<String> decide(TestServer server, String key, String value) {
        return server.post(
                "/json",
                "{\"domain\":\"storefront\",\"descriptors\":[{\"entries\":[{\"key\":\"" + key + "\",\"value\":\""
                        + value + "\"}]}]}");
    }
}

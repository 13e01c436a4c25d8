package dev.weir.example.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reference system D as an application: a servlet on SQLite, over real sockets. */
@Tag("io")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class IngestAcceptanceTest {
    @TempDir
    Path directory;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private IngestServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    /** The database of one test; the same one when it starts the server again. */
    String store() {
        return "jdbc:sqlite:" + directory.resolve("limits.db") + "?timeout=20s";
    }

    private void start(String... environment) {
        Map<String, String> variables = new HashMap<>();
        for (int i = 0; i < environment.length; i += 2) {
            variables.put(environment[i], environment[i + 1]);
        }
        server = IngestServer.start(
                "127.0.0.1",
                0,
                directory,
                store(),
                new ConfigurationReader(variables::get).preset("device-ingest").orThrow(),
                // A test machine may be busy, and must not refuse because of that.
                WeirOptions.defaults().withGuard(GuardOptions.defaults().withDeadline(Duration.ofSeconds(20))));
    }

    private void startWith(int quota) {
        start("BMTC_RATE_LIMIT_ENABLED", "true", "BMTC_RATE_LIMIT_PER_HOUR", Integer.toString(quota));
    }

    private HttpRequest request(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .header("Content-Type", "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request.build();
    }

    private HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
        return client.send(request(method, path, body, headers), BodyHandlers.ofString());
    }

    private HttpResponse<String> ride(String device, String... headers) throws Exception {
        return send("POST", "/v1/ride_summary", body(device), headers);
    }

    private static String body(String device) {
        return device == null ? "{\"km\":5}" : "{\"device_bucket\":\"" + device + "\",\"km\":5}";
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse(null);
    }

    private String rides(String device) throws Exception {
        return send("GET", "/v1/rides?device_bucket=" + device, null).body();
    }

    @Test
    void D1_fiveHundredAnHourUnlessToldOtherwise() throws Exception {
        start("BMTC_RATE_LIMIT_ENABLED", "true");
        HttpResponse<String> response = ride("d1");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("500");
        assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("499");
        long reset = Long.parseLong(header(response, "X-RateLimit-Reset"));
        assertThat(reset - System.currentTimeMillis() / 1000).isBetween(3590L, 3601L);
        // The window started with the first ride: the next one does not move its end.
        assertThat(Long.parseLong(header(ride("d1"), "X-RateLimit-Reset"))).isBetween(reset - 1, reset);
    }

    @Test
    void D2_theQuotaIsInTheDatabase_andOutlivesTheServer() throws Exception {
        startWith(3);
        ride("d1");
        ride("d1");
        server.close();
        startWith(3);
        assertThat(header(ride("d1"), "X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(ride("d1").statusCode()).isEqualTo(429);
    }

    @Test
    void D3_aRepeatedRequestIsAnsweredWithoutSpending_withPresentHeaders() throws Exception {
        startWith(5);
        HttpResponse<String> first = ride("d1", "Idempotency-Key", "k1");
        assertThat(header(first, "X-RateLimit-Remaining")).isEqualTo("4");
        ride("d1");
        HttpResponse<String> again = ride("d1", "Idempotency-Key", "k1");
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(header(again, "Idempotency-Replayed")).isEqualTo("true");
        assertThat(header(again, "X-RateLimit-Remaining")).isEqualTo("3");
        assertThat(rides("d1")).isEqualTo("{\"rides\":2}");
        for (int i = 0; i < 3; i++) {
            ride("d1");
        }
        assertThat(ride("d1").statusCode()).isEqualTo(429);
        assertThat(ride("d1", "Idempotency-Key", "k1").statusCode()).isEqualTo(200);
        assertThat(send("POST", "/v1/ride_summary", "{\"device_bucket\":\"d1\",\"km\":6}", "Idempotency-Key", "k1")
                        .statusCode())
                .isEqualTo(422);
        // Another device's key is another key.
        assertThat(header(ride("d2", "Idempotency-Key", "k1"), "Idempotency-Replayed"))
                .isNull();
        // The response is stored in the database.
        server.close();
        startWith(5);
        assertThat(ride("d1", "Idempotency-Key", "k1").body()).isEqualTo(first.body());
    }

    @Test
    void D3_parallelRepeats_areDoneOnce() throws Exception {
        startWith(50);
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            all.add(client.sendAsync(
                    request("POST", "/v1/ride_summary", body("d1"), "Idempotency-Key", "k"), BodyHandlers.ofString()));
        }
        for (CompletableFuture<HttpResponse<String>> one : all) {
            assertThat(one.get().statusCode()).isIn(200, 409);
        }
        assertThat(rides("d1")).isEqualTo("{\"rides\":1}");
        assertThat(header(ride("d1"), "X-RateLimit-Remaining")).isEqualTo("48");
    }

    @Test
    void D4_theDeviceElseTheAddress_andTheAnswerSaysWhich() throws Exception {
        startWith(1);
        ride("d1");
        assertThat(ride("d1").body()).contains("\"bucket_id_type\":\"device\"");
        ride(null);
        HttpResponse<String> refused = ride(null);
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.body()).contains("\"bucket_id_type\":\"ip\"");
        // A device named like an address is not that address.
        assertThat(ride("127.0.0.1").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "false"})
    void D5_offIsUntouchedPassThrough(String enabled) throws Exception {
        if (enabled.isEmpty()) {
            start();
        } else {
            start("BMTC_RATE_LIMIT_ENABLED", enabled, "BMTC_RATE_LIMIT_PER_HOUR", "1");
        }
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = ride("d1");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(header(response, "X-RateLimit-Limit")).isNull();
        }
    }

    @Test
    void D6_theRefusalSaysAllThatAClientNeeds() throws Exception {
        startWith(1);
        assertThat(header(ride("d1"), "Retry-After")).isNull();
        HttpResponse<String> refused = ride("d1");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(header(refused, "X-RateLimit-Limit")).isEqualTo("1");
        assertThat(header(refused, "X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(Integer.parseInt(header(refused, "Retry-After"))).isBetween(3590, 3600);
        assertThat(refused.body())
                .contains("\"error\":\"rate_limited\"", "\"message\":\"")
                .contains("\"details\":{\"limit\":1,\"reset\":" + header(refused, "X-RateLimit-Reset")
                        + ",\"bucket_id_type\":\"device\"}");
        assertThat(rides("d1")).isEqualTo("{\"rides\":1}");
    }

    @Test
    void D7_onlyPostToTheIngestPathIsLimited() throws Exception {
        startWith(1);
        ride("d1");
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> read = send("GET", "/v1/rides?device_bucket=d1", null);
            assertThat(read.statusCode()).isEqualTo(200);
            assertThat(header(read, "X-RateLimit-Limit")).isNull();
            assertThat(send("POST", "/v1/elsewhere", body("d1")).statusCode()).isEqualTo(404);
        }
        assertThat(send("POST", "/v1//ride_summary", body("d1")).statusCode()).isNotEqualTo(200);
    }

    @Test
    void D8_readingTheStateSpendsNothing() throws Exception {
        startWith(5);
        ride("d1");
        for (int i = 0; i < 3; i++) {
            assertThat(send("GET", "/v1/rate_limit?device_bucket=d1", null).body())
                    .contains("\"name\":\"ingest\"", "\"capacity\":5,\"remaining\":4");
        }
        assertThat(header(ride("d1"), "X-RateLimit-Remaining")).isEqualTo("3");
    }

    @Test
    void D9_fiftyInParallelGetExactlyTheQuota_andOthersTheirOwn() throws Exception {
        startWith(20);
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(client.sendAsync(request("POST", "/v1/ride_summary", body("d1")), BodyHandlers.ofString()));
        }
        int allowed = 0;
        for (CompletableFuture<HttpResponse<String>> one : all) {
            int status = one.get().statusCode();
            assertThat(status).isIn(200, 429);
            allowed += status == 200 ? 1 : 0;
        }
        assertThat(allowed).isEqualTo(20);
        assertThat(rides("d1")).isEqualTo("{\"rides\":20}");
        assertThat(header(ride("d2"), "X-RateLimit-Remaining")).isEqualTo("19");
    }
}

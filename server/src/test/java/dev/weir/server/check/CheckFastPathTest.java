package dev.weir.server.check;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.DelayedStore;
import dev.weir.server.TestServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The fast path and the slow path of a check return equal responses, in the order of the requests. */
@Tag("io")
class CheckFastPathTest {
    private static final String YAML = """
            version: 1
            limits:
              - { name: general, per: [user], rate: 10/day, warn: 50%, on-store-failure: deny }
              - { name: shadowed, per: [user], rate: 1/hour, shadow: true }
            """;

    @Test
    void checks_areAnsweredAlike_onBothWays() throws Exception {
        List<String> bodies = List.of(
                "{\"attributes\":{\"user\":\"NAME\"}}",
                "{\"attributes\":{\"user\":\"NAME\"},\"cost\":5}",
                "{\"attributes\":{\"user\":\"NAME\"},\"cost\":9}",
                "{\"attributes\":{\"user\":\"NAME\"},\"cost\":11}",
                "{\"attributes\":{}}",
                "{\"attributes\":{\"user\":\"NAME\"},\"cost\":0}",
                "{\"attributes\":{\"user\":\"" + "x".repeat(9000) + "\"}}",
                "{\"attributes\":{\"user\":\"NAME\"},\"costs\":{\"no<b>ne\":1}}",
                "{\"attributes\":{\"user\":null}}",
                "{\"attributes\":{\"user\":\"NAME\",\"user\":\"NAME\"}}",
                "{\"attributes\":{\"user\":\"NAME\"},\"attributes\":{}}",
                "{\"attributes\":{\"user\":NaN}}",
                "{\"attributes\":{\"user\":1e400}}",
                "{\"attributes\":{\"user\":12345678901234567890123456789012345678901234567890}}",
                "{\"attributes\":{\"user\":\"NAME\\ud800\"}}",
                "{\"attributes\":{\"user\":\"NAME\\u0000\\r\\n\"}}",
                "{\"attributes\":{\"user\":\"NAME\",\"a\\r\\nX-Evil: 1\":\"v\"}}",
                "{\"attributes\":{\"user\":\"NAME\u00e9\"}}",
                "{\"attributes\":{\"user\":\"NAME\"},\"a\\r\\nX-Evil: 1\":1}",
                "{\"attributes\":{\"user\":\"NAME\"},\"cost\":1.0}",
                "{\"attributes\":{\"user\":\"NAME\"},\"cost\":99999999999999999999}",
                "{\"attributes\":{\"user\":\"NAME\"},\"costs\":{\"general\":2}}",
                "{\"attributes\":{\"user\":\"NAME\"}} {}",
                "{\"attributes\":" + "[".repeat(1000),
                "nonsense",
                "");
        try (TestServer server = TestServer.yaml(YAML)) {
            for (String body : bodies) {
                String plain = server.raw(request(body.replace("NAME", "fast"), "") + end());
                String long_ = server.raw(request(body.replace("NAME", "long"), "Connection: close\r\n"));
                // The response after the first is the one to the request that ended the connection.
                Reply shortWay = Reply.first(plain);
                Reply longWay = Reply.first(long_);
                longWay.headers.remove("connection");
                assertThat(shortWay.status).as(body).isEqualTo(longWay.status);
                assertThat(timeless(shortWay.headers.toString()))
                        .as(body)
                        .isEqualTo(timeless(longWay.headers.toString()));
                assertThat(timeless(shortWay.body)).as(body).isEqualTo(timeless(longWay.body));
            }
        }
    }

    @Test
    void requestsOfAllKinds_areAnsweredInTheirOrder() throws Exception {
        String check = request("{\"attributes\":{\"user\":\"order\"}}", "");
        String live = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";
        String peek = check.replace("/v1/check", "/v1/peek");
        String chunked = "POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "f\r\n{\"attributes\":{\r\n10\r\n\"user\":\"order\"}}\r\n0\r\n\r\n";
        try (TestServer server = TestServer.yaml(YAML)) {
            String answers = server.raw(check + live + check + peek + chunked + request("{", "") + check + end());
            List<String> marks = new ArrayList<>();
            Matcher matcher = Pattern.compile("\"remaining\":(\\d),\"capacity\"|\"status\":\"up\"|this|is not JSON")
                    .matcher(answers.replaceAll("\"(limits|warnings)\":\\[.*?\\]", ""));
            while (matcher.find()) {
                marks.add(matcher.group(1) == null ? matcher.group() : matcher.group(1));
            }
            assertThat(marks)
                    .containsExactly(
                            "9",
                            "\"status\":\"up\"",
                            "8",
                            "8",
                            "7",
                            "is not JSON",
                            "is not JSON",
                            "6",
                            "\"status\":\"up\"");
        }
    }

    @Test
    void storeThatAnswersLater_keepsTheOrder() throws Exception {
        ScheduledExecutorService answering = Executors.newSingleThreadScheduledExecutor();
        try (TestServer server = TestServer.yaml(YAML, options -> options.withStore(DelayedStore.URI))) {
            answering.scheduleWithFixedDelay(DelayedStore::answerAll, 5, 5, TimeUnit.MILLISECONDS);
            String check = request("{\"attributes\":{\"user\":\"later\"}}", "");
            String answers = server.raw(check + check + end() + check);
            assertThat(answers.indexOf("\"remaining\":9")).isPositive().isLessThan(answers.indexOf("\"remaining\":8"));
            assertThat(answers).endsWith("{\"status\":\"up\"}");
        } finally {
            answering.shutdownNow();
        }
    }

    @Test
    void checkUnderWay_isAnswered_whenTheServerGoes() throws Exception {
        DelayedStore.WAITING.clear();
        TestServer server = TestServer.yaml(YAML, options -> options.withStore(DelayedStore.HASTY_URI));
        CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return server.raw(request("{\"attributes\":{\"user\":\"last\"}}", ""), 1);
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        await().pollInterval(Duration.ofMillis(1)).until(() -> !DelayedStore.WAITING.isEmpty());
        server.close();
        assertThat(answer.get(90, TimeUnit.SECONDS)).startsWith("HTTP/1.1 ").endsWith("}");
    }

    @Test
    void storeThatDoesNotAnswer_isARefusalInTime() {
        try (TestServer server = TestServer.yaml(YAML, options -> options.withStore(DelayedStore.HASTY_URI))) {
            HttpResponse<String> denied = server.check("{\"user\":\"never\"}");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.headers().firstValue("Retry-After")).hasValue("60");
            assertThat(json(denied).get("reason").asText()).isEqualTo("unavailable");
            assertThat(json(denied).get("message").asText()).isEqualTo("Rate limiter temporarily unavailable");
        }
    }

    /** Replaces the numbers that change while the test runs; they are all long. */
    private static String timeless(String text) {
        return text.replaceAll("\\d{4,}", "#");
    }

    private static String request(String body, String headers) {
        return "POST /v1/check HTTP/1.1\r\nHost: x\r\n" + headers + "Content-Length: " + body.length() + "\r\n\r\n"
                + body;
    }

    /** A request that ends the connection, so that the client need not wait for more. */
    private static String end() {
        return "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    }

    /** One parsed response. */
    private record Reply(String status, Map<String, String> headers, String body) {
        static Reply first(String answers) {
            int head = answers.indexOf("\r\n\r\n");
            String[] lines = answers.substring(0, head).split("\r\n", -1);
            Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            for (int i = 1; i < lines.length; i++) {
                String[] parts = lines[i].split(": ", 2);
                assertThat(headers.put(parts[0].toLowerCase(java.util.Locale.ROOT), parts[1]))
                        .as(lines[i])
                        .isNull();
            }
            int length = Integer.parseInt(headers.get("content-length"));
            return new Reply(lines[0], headers, answers.substring(head + 4, head + 4 + length));
        }
    }
}

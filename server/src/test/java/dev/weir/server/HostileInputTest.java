package dev.weir.server;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a client sends, it gets a plain response or is cut off, and the server keeps running. */
@Tag("io")
class HostileInputTest {
    private static final String YAML = """
            version: 1
            trusted-proxies: [127.0.0.1/32]
            forward-auth: { headers: { user: X-User } }
            limits:
              - { name: general, per: [user], rate: 100/min }
            """;
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.yaml(
                YAML,
                options -> options.withLimits(ServerLimits.defaults()
                        .withIdleTime(Duration.ofSeconds(2))
                        .withBodyTime(Duration.ofSeconds(1))
                        .withConnections(50)));
    }

    @AfterAll
    static void stop() {
        assertThat(server.get("/health/ready").statusCode()).isEqualTo(200);
        server.close();
    }

    @Test
    void unknownPath_is404WithAProblem() throws Exception {
        String answer = server.raw("GET /no/such/<script>path HTTP/1.1\r\nHost: x\r\n\r\n", 1);
        assertThat(answer).startsWith("HTTP/1.1 404").doesNotContain("script").contains("\"error\":\"not_found\"");
        assertThat(server.get("/no/such/path").headers().firstValue("Content-Type"))
                .hasValue("application/problem+json");
    }

    @Test
    void wrongMethod_is405AndSaysWhichAreRight() {
        HttpResponse<String> response = server.get("/v1/check");
        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().firstValue("Allow")).hasValue("POST");
    }

    @Test
    void headOfTheEvents_ends() throws Exception {
        String head = "HEAD /v1/events HTTP/1.1\r\nHost: x\r\n\r\n";
        assertThat(server.raw(head + head.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")))
                .containsSubsequence("HTTP/1.1 200", "text/event-stream", "HTTP/1.1 200");
    }

    @Test
    void bodyOver64KiB_is413_announcedOrNot() throws Exception {
        String large = "{\"attributes\":{\"user\":\"" + "x".repeat(65 * 1024) + "\"}}";
        assertThat(server.raw("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n" + large))
                .startsWith("HTTP/1.1 413");
        assertThat(server.raw("POST /v1/check HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n11000\r\n"
                        + "x".repeat(0x11000) + "\r\n0\r\n\r\n"))
                .startsWith("HTTP/1.1 413");
        assertThat(server.raw("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n"))
                .matches("(?s)HTTP/1.1 4(00|13).*");
    }

    @Test
    void bodyOfExactly64KiB_isRead() {
        String start = "{\"attributes\":{\"user\":\"u\"";
        String body = start + " ".repeat(64 * 1024 - start.length() - 2) + "}}";
        assertThat(body).hasSize(64 * 1024);
        assertThat(server.post("/v1/check", body).statusCode()).isEqualTo(200);
    }

    @Test
    void headersTooLarge_are431_lineTooLong_is414() throws Exception {
        assertThat(server.raw("GET / HTTP/1.1\r\nHost: x\r\nX-Large: " + "x".repeat(40_000) + "\r\n\r\n"))
                .matches("(?s)HTTP/1.[01] 431.*");
        assertThat(server.raw("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
                .matches("(?s)HTTP/1.[01] 414.*");
    }

    @Test
    void whatIsNotHttp_isRefused() throws Exception {
        for (String nonsense : List.of(
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n",
                "GET\r\n\r\n",
                "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
                "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: five\r\n\r\n",
                "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
                "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n")) {
            String answer = server.raw(nonsense);
            assertThat(answer).as(nonsense).matches("(?s)(HTTP/[19].[019] (4\\d\\d|501).*)?");
        }
    }

    @Test
    void noise_breaksNothing() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 20; i++) {
            byte[] noise = new byte[200];
            random.nextBytes(noise);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server.port())) {
                socket.getOutputStream().write(noise);
            }
        }
        assertThat(server.check("{\"user\":\"after-noise\"}").statusCode()).isEqualTo(200);
    }

    @Test
    void deeplyNestedJson_is400() {
        assertThat(server.post("/v1/check", "[".repeat(30_000)).statusCode()).isEqualTo(400);
        assertThat(server.post("/v1/check", "{\"attributes\":".repeat(4_000)).statusCode())
                .isEqualTo(400);
    }

    @Test
    void valuesWithAnythingInThem_areCountedAndNeverEchoedRaw() throws Exception {
        String evil = "{\"user\":\"\\r\\nX-Evil: 1\\u0000<script>\\ufffe\"}";
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> response = server.check(evil);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("X-Evil")).isEmpty();
            assertThat(response.body()).doesNotContain("<script>");
        }
        assertThat(json(server.check(evil)).get("remaining").asLong()).isEqualTo(97);
        HttpResponse<String> unknown = server.post("/v1/check", "{\"attributes\":{},\"<b>\\r\\nX: y\":1}");
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(unknown.body()).doesNotContain("<b>").doesNotContain("\r");
        assertThat(server.get("/v1/subjects/user/%0d%0aX-Evil:%201").statusCode())
                .isEqualTo(200);
        assertThat(server.raw("GET /v1/subjects/user/%zz HTTP/1.1\r\nHost: x\r\n\r\n", 1))
                .startsWith("HTTP/1.1 400");
    }

    /** A text that UTF-8 cannot encode could become equal to another one in a store. */
    @ParameterizedTest
    @ValueSource(strings = {"\\ud800", "x\\udc00", "\\udc00\\ud800", "\\ud83d!", "\\ud83d\\ud83d\\ude00"})
    void halvesOfCharacters_areRefused_whereverTheyCome(String half) throws Exception {
        String attributes = "{\"attributes\":{\"user\":\"" + half + "\"}}";
        for (String path : List.of("/v1/check", "/v1/peek", "/v1/reservations", "/v1/leases")) {
            assertBadField("attributes.user", json(server.post(path, attributes)));
        }
        assertThat(server.check("{\"" + half + "\":\"u\"}").statusCode()).isEqualTo(400);
        assertBadField("user", json(server.admin("POST", "/api/admin/rate-limits/reset", attributes)));
        TestServer.Frames frames = server.frames();
        JsonNode answer = frames.ask(attributes);
        assertThat(answer.get("type").asText()).isEqualTo("error");
        assertThat(answer.get("field").asText()).isEqualTo("attributes.user");
        frames.socket.abort();
        assertThat(server.check("{\"user\":\"\\ud83d\\ude00\"}").statusCode()).isEqualTo(200);
    }

    @Test
    void whatIsNotUtf8_isRefused_andNeverRepaired() throws Exception {
        for (String bytes : List.of("\u00ed\u00a0\u0080", "\u00ff", "\u00c0\u00af", "\u00e9")) {
            String body = "{\"attributes\":{\"user\":\"" + bytes + "\"}}";
            for (String path : List.of("/v1/check", "/v1/peek")) {
                assertThat(server.raw("POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: "
                                + body.length() + "\r\n\r\n" + body))
                        .startsWith("HTTP/1.1 400")
                        .contains("not UTF-8");
            }
            assertThat(server.raw("GET /v1/authorize HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-User: " + bytes
                            + "\r\n\r\n"))
                    .startsWith("HTTP/1.1 400")
                    .contains("\"field\":\"X-User\"");
        }
        for (String path :
                List.of("/v1/subjects/user/%ff", "/v1/subjects/user/%ed%a0%80", "/api/rate-limits?user=%ff")) {
            assertThat(server.raw("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 400");
        }
    }

    private static void assertBadField(String field, JsonNode problem) {
        assertThat(problem.get("status").asInt()).isEqualTo(400);
        assertThat(problem.get("field").asText()).isEqualTo(field);
    }

    @Test
    void everyResponse_hasSafeHeaders() {
        for (HttpResponse<String> response : List.of(
                server.check("{}"),
                server.get("/nothing"),
                server.get("/"),
                server.get("/health/live"),
                server.get("/metrics"),
                server.get("/openapi.yaml"),
                server.get("/api/admin/audit"),
                server.send("OPTIONS", "/v1/check", null))) {
            assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(response.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .contains("default-src 'none'");
            assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
            assertThat(response.headers().firstValue("Server")).isEmpty();
        }
    }

    @Test
    void clientsThatDrip_areCutOff() throws Exception {
        try (Socket slowHeaders = new Socket(InetAddress.getLoopbackAddress(), server.server.port());
                Socket slowBody = new Socket(InetAddress.getLoopbackAddress(), server.server.port())) {
            slowBody.getOutputStream()
                    .write("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
                            .getBytes(StandardCharsets.US_ASCII));
            slowHeaders.getOutputStream().write("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
            await().pollInterval(Duration.ofMillis(100)).until(() -> isCutOffOnWriting(slowBody));
            await().pollInterval(Duration.ofMillis(100)).until(() -> isCutOffOnWriting(slowHeaders));
        }
    }

    /** Writes one byte. */
    private static boolean isCutOffOnWriting(Socket socket) {
        try {
            socket.getOutputStream().write('x');
            return false;
        } catch (java.io.IOException e) {
            return true;
        }
    }

    @Test
    void connectionsBeyondTheMost_areClosed() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 70; i++) {
                sockets.add(new Socket(InetAddress.getLoopbackAddress(), server.server.port()));
            }
            List<Socket> open = new ArrayList<>(sockets);
            await().until(() -> {
                open.removeIf(HostileInputTest::isClosed);
                return open.size() <= 50;
            });
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        await().until(HostileInputTest::answersHealthChecks);
    }

    private static boolean answersHealthChecks() {
        try {
            return server.get("/health/live").statusCode() == 200;
        } catch (AssertionError stillRefused) {
            return false;
        }
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (java.io.IOException e) {
            return true;
        }
    }

    @Test
    void pipelinedRequests_areAnsweredInTheirOrder() throws Exception {
        String one =
                "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 29\r\n\r\n{\"attributes\":{\"user\":\"pipe\"}}"
                        .replace("29", "30");
        String answers = server.raw(one.repeat(5), 5);
        for (int remaining = 99; remaining >= 95; remaining--) {
            assertThat(answers).contains("X-RateLimit-Remaining: " + remaining);
        }
        assertThat(answers.split("HTTP/1.1 200", -1)).hasSize(6);
    }
}

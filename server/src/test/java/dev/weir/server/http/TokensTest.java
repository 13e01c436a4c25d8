package dev.weir.server.http;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.weir.server.AccessOptions;
import dev.weir.server.Chromium;
import dev.weir.server.ConfigurationSource;
import dev.weir.server.ServerOptions;
import dev.weir.server.StartException;
import dev.weir.server.TestServer;
import dev.weir.server.WeirServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that requires tokens, and tokens of a file. */
@Tag("io")
class TokensTest {
    private static final String CHECK = "{\"attributes\":{\"agent\":\"a\",\"action\":\"task_submit\"}}";
    private static final String RESET = "{\"attributes\":{\"agent\":\"a\"}}";
    private static final String RATES = "{\"limits\":{\"agent\":{\"light\":\"500/min\"}}}";

    @TempDir
    Path directory;

    private Path file;
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        file = directory.resolve("tokens.yaml");
        write(line("shop", "decide"), line("board", "read"), line("ops", "operate"), line("boss", "admin"));
        server = TestServer.start(ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                .withAccess(new AccessOptions(file, true, List.of(), List.of())));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            POST   | /v1/check                               | shop,boss,admin
            POST   | /v1/peek                                | shop,boss,admin
            POST   | /v1/explain                             | board,ops,boss,admin
            POST   | /v1/reservations                        | shop,boss,admin
            POST   | /v1/leases                              | shop,boss,admin
            DELETE | /v1/reservations/x                      | shop,boss,admin
            DELETE | /v1/leases/x                            | shop,boss,admin
            GET    | /v1/authorize                           | shop,boss,admin
            GET    | /v1/authorize/nginx                     | shop,boss,admin
            GET    | /v1/ws                                  | shop,boss,admin
            GET    | /api/rate-limits?agent=a                | shop,boss,admin
            GET    | /v1/overview                            | board,ops,boss,admin
            GET    | /v1/subjects                            | board,ops,boss,admin
            GET    | /v1/subjects/agent/a                    | board,ops,boss,admin
            HEAD   | /v1/events                              | board,ops,boss,admin
            GET    | /metrics                                | board,ops,boss,admin
            GET    | /api/admin/rate-limits                  | board,ops,boss,admin
            GET    | /api/admin/rate-limits/whitelist        | board,ops,boss,admin
            GET    | /api/admin/audit                        | board,ops,boss,admin
            POST   | /api/admin/rate-limits/reset            | ops,boss,admin
            POST   | /api/admin/rate-limits/whitelist        | ops,boss,admin
            DELETE | /api/admin/rate-limits/whitelist/x      | ops,boss,admin
            PUT    | /api/admin/rate-limits/a1               | ops,boss,admin
            DELETE | /api/admin/rate-limits/a1               | ops,boss,admin
            PUT    | /api/admin/rate-limits/defaults         | boss,admin
            PUT    | /api/admin/rate-limits/whitelist        | boss,admin
            GET    | /health/live                            | nobody,shop,board,ops,boss,admin
            GET    | /openapi.yaml                           | nobody,shop,board,ops,boss,admin
            GET    | /                                       | nobody,shop,board,ops,boss,admin
            """)
    void role_opensWhatItIsFor(String method, String path, String names) {
        String body = method.equals("GET") || method.equals("HEAD") || method.equals("DELETE") ? null : "{}";
        for (String name : "shop,board,ops,boss,admin".split(",")) {
            int status = send(method, path, body, token(name)).statusCode();
            boolean opens = (names + ",").contains(name + ",");
            assertThat(status == 403 ? "shut" : status == 401 ? "unknown" : "open")
                    .as(name + " " + status)
                    .isEqualTo(opens ? "open" : "shut");
        }
        boolean isOpen = names.startsWith("nobody");
        assertThat(server.send(method, path, body).statusCode() == 401).isEqualTo(!isOpen);
        if (!isOpen) {
            HttpResponse<String> wrong = send(method, path, body, "wrong-token");
            assertThat(wrong.statusCode()).isEqualTo(401);
            assertThat(wrong.headers().firstValue("WWW-Authenticate")).hasValue("Bearer realm=\"weir\"");
        }
    }

    @Test
    void checksOnOneConnection_areEachHeldToTheirToken() throws IOException {
        String right = "Authorization: Bearer " + token("shop") + "\r\n";
        String read = "Authorization: Bearer " + token("board") + "\r\n";
        String basic = "Authorization: Basic " + token("shop") + "\r\n";
        String answers =
                server.raw(check(right) + check("") + check(right) + check(read) + check(basic) + check(right), 6);

        assertThat(answers.split("HTTP/1.1 "))
                .extracting(answer -> answer.isEmpty() ? "" : answer.substring(0, 3))
                .containsExactly("", "200", "401", "200", "403", "401", "200");
    }

    private static String check(String headers) {
        return "POST /v1/check HTTP/1.1\r\nHost: localhost\r\n" + headers + "Content-Length: " + CHECK.length()
                + "\r\n\r\n" + CHECK;
    }

    @Test
    void refusedChecks_spendNothing() {
        for (int i = 0; i < 20; i++) {
            server.post("/v1/check", CHECK);
        }
        assertThat(json(send("POST", "/v1/check", CHECK, token("shop")))
                        .get("remaining")
                        .asInt())
                .isEqualTo(9);
    }

    @Test
    void webSocket_takesTheTokenAsAHeader_orAsASubprotocol() throws Exception {
        for (WebSocket.Builder builder : new WebSocket.Builder[] {
            server.client.newWebSocketBuilder().header("Authorization", "Bearer " + token("shop")),
            server.client.newWebSocketBuilder().subprotocols("weir", "weir.bearer." + token("shop"))
        }) {
            TestServer.Frames frames = new TestServer.Frames();
            frames.socket = builder.buildAsync(ws(), frames).join();
            assertThat(frames.ask(CHECK).get("type").asText()).isEqualTo("allowed");
            frames.socket.abort();
        }
        WebSocket.Builder read =
                server.client.newWebSocketBuilder().subprotocols("weir", "weir.bearer." + token("board"));
        assertThat(catchThrowableOfType(
                        CompletionException.class,
                        () -> read.buildAsync(ws(), new TestServer.Frames()).join()))
                .hasMessageContaining("WebSocketHandshakeException");
    }

    private URI ws() {
        return URI.create(server.server.url().replace("http", "ws") + "/v1/ws");
    }

    @Test
    void audit_namesTheToken() {
        assertThat(send("PUT", "/api/admin/rate-limits/a1", RATES, token("ops")).statusCode())
                .isEqualTo(200);
        assertThat(send("POST", "/api/admin/rate-limits/reset", RESET, token("boss"))
                        .statusCode())
                .isEqualTo(200);

        JsonNode audit = json(send("GET", "/api/admin/audit", null, token("board")));
        assertThat(audit.get("entries").get(1).get("who").asText()).isEqualTo("ops@127.0.0.1");
        assertThat(audit.get("entries").get(0).get("who").asText()).isEqualTo("boss@127.0.0.1");
        assertThat(audit.get("fault").isNull()).isTrue();
    }

    @Test
    void changedFile_isTakenUp_andOneWithFaultsIsNot() throws Exception {
        assertThat(peek("shop")).isEqualTo(200);

        write(line("new", "decide"));
        await().untilAsserted(() -> assertThat(peek("new")).isEqualTo(200));
        assertThat(peek("shop")).isEqualTo(401);

        Files.writeString(file, line("newer", "decide") + "- { name: broken, role: king, sha256: 12 }\n");
        await().during(Duration.ofMillis(1500)).atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
            assertThat(peek("new")).isEqualTo(200);
            assertThat(peek("newer")).isIn(401, 429);
        });

        Files.delete(file);
        assertThat(peek("new")).isEqualTo(200);
        write(line("last", "decide"));
        await().untilAsserted(() -> assertThat(peek("last")).isEqualTo(200));
    }

    /** A connection does not cache a token beyond the token's lifetime. */
    @Test
    void withdrawnToken_endsOnOpenConnections() throws Exception {
        assertThat(send("POST", "/v1/check", CHECK, token("shop")).statusCode()).isEqualTo(200);
        write(line("other", "decide"));
        await().untilAsserted(() -> assertThat(
                        send("POST", "/v1/check", CHECK, token("shop")).statusCode())
                .isIn(401, 429));
    }

    @Test
    void withdrawnToken_endsWebSocketsAndEventStreams() throws Exception {
        TestServer.Frames frames = new TestServer.Frames();
        frames.socket = server.client
                .newWebSocketBuilder()
                .header("Authorization", "Bearer " + token("shop"))
                .buildAsync(ws(), frames)
                .join();
        assertThat(frames.ask(CHECK).get("type").asText()).isEqualTo("allowed");
        try (Socket events = new Socket(InetAddress.getLoopbackAddress(), server.server.port())) {
            events.setSoTimeout(60_000);
            String head = "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token("board");
            events.getOutputStream().write((head + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            assertThat(events.getInputStream().readNBytes(12)).asString().isEqualTo("HTTP/1.1 200");

            write(line("other", "decide"));

            Duration most = Duration.ofSeconds(30);
            await().atMost(most).until(() -> !frames.closed.isEmpty());
            await().atMost(most).until(() -> events.getInputStream().read(new byte[4096]) < 0);
        }
    }

    @Test
    void fileThatCannotBeUsed_isNamedAtTheStart() throws Exception {
        Files.writeString(
                file,
                "- { name: a, role: decider, sha256: my-secret-token }\n"
                        + "- { name: a, role: read, sha256: " + sha256("t") + " }\n"
                        + "- { name: b, role: read, sha256: " + sha256("t") + ", token: t }\n");
        ServerOptions options = ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                .withAccess(new AccessOptions(file, false, List.of(), List.of()));
        StartException bad = catchThrowableOfType(StartException.class, () -> WeirServer.start(options));

        assertThat(bad.why()).isEqualTo(StartException.Cause.CONFIGURATION);
        assertThat(bad.getMessage())
                .doesNotContain("my-secret-token")
                .contains(
                        file + ":1:20: role is 'decider'; it must be decide or read or operate or admin; did you mean"
                                + " 'decide'?",
                        file + ":1:37: sha256 is not shown; it must be the token's SHA-256",
                        file + ":2:11: another token has this name",
                        file + ":3:34: another token has this sha256, on line 2",
                        "unknown key 'token' in a token");
        Files.writeString(file, "# none yet\n");
        assertThat(catchThrowableOfType(StartException.class, () -> WeirServer.start(options)))
                .hasMessageContaining("the file is empty; a file without tokens is '[]'");
        ServerOptions none = ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                .withAccess(new AccessOptions(null, true, List.of(), List.of()));
        assertThat(catchThrowableOfType(StartException.class, () -> WeirServer.start(none)))
                .hasMessageContaining("--require-token needs tokens");
    }

    @Test
    void dashboard_asksForAToken_andIsLiveWithOneThatMayRead() {
        try (Chromium.Window window = Chromium.open()) {
            window.visit(server, "/");
            PlaywrightAssertions.assertThat(window.page.getByText("shows its numbers only to who has a token"))
                    .isVisible();
            window.page.getByLabel("Admin token").fill(token("board"));
            window.page.keyboard().press("Enter");
            PlaywrightAssertions.assertThat(window.page.locator(".live")).hasText("Live");
            window.errors.removeIf(error -> error.contains("401"));
            window.assertBehaved();
        }
    }

    private int peek(String name) {
        return send("POST", "/v1/peek", CHECK, token(name)).statusCode();
    }

    private HttpResponse<String> send(String method, String path, String body, String token) {
        return server.send(method, path, body, "Authorization", "Bearer " + token);
    }

    private static String token(String name) {
        return name.equals("admin") ? TestServer.TOKEN : "the-token-of-" + name;
    }

    private void write(String... lines) throws IOException {
        Path next = Files.writeString(directory.resolve("next.yaml"), String.join("", lines));
        Files.move(next, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private static String line(String name, String role) throws Exception {
        return "- { name: " + name + ", role: " + role + ", sha256: " + sha256(token(name)) + " }\n";
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}

package dev.weir.server.http;

import static dev.weir.server.TestServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.TestServer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The end of a request is never ambiguous, and after a connection's last response no further request is read or
 * charged.
 */
@Tag("io")
class FramingTest {
    private static final String BODY = "{\"attributes\":{\"user\":\"framed\"}}";
    private static final String CHUNKS = Integer.toHexString(BODY.length()) + "\r\n" + BODY + "\r\n0\r\n\r\n";
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.yaml("version: 1\nlimits:\n  - { name: general, per: [user], rate: 100/day }\n");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: identity\r\nContent-Length: 5"
            })
    void transferEncodingInDoubt_isRefused_andNothingIsSpent(String headers) throws Exception {
        for (String path : new String[] {"/v1/check", "/v1/peek"}) {
            String answer = server.raw(
                    "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n\r\n" + CHUNKS + check("Host: x\r\n"));
            assertThat(answer).startsWith("HTTP/1.1 400").contains("\"field\":\"Transfer-Encoding\"");
            assertOneAnswer(answer);
        }
        assertNothingIsSpent("framed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: %d\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: %d",
                "Transfer-Encoding: Chunked\r\nContent-Length: 0",
                "Content-Length: 3\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive"
            })
    void lengthAndChunks_areRefused_andNothingIsSpent(String headers) throws Exception {
        for (String path : new String[] {"/v1/check", "/v1/peek", "/v1/authorize"}) {
            String answer = server.raw("POST " + path + " HTTP/1.1\r\nHost: x\r\n" + headers.formatted(CHUNKS.length())
                    + "\r\n\r\n" + CHUNKS + check("Host: x\r\n"));
            assertThat(answer)
                    .startsWith("HTTP/1.1 400")
                    .contains("\"field\":\"Content-Length\"")
                    .contains("connection: close");
            assertOneAnswer(answer);
        }
        assertNothingIsSpent("framed");
    }

    /** The decoder does not accept this as HTTP, so there is no field to name. */
    @Test
    void chunkedThatIsNotTheLastEncoding_isRefused_andNothingIsSpent() throws Exception {
        for (String path : new String[] {"/v1/check", "/v1/peek"}) {
            String answer = server.raw("POST " + path
                    + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n" + CHUNKS
                    + check("Host: x\r\n"));
            assertThat(answer).startsWith("HTTP/1.1 400");
            assertOneAnswer(answer);
        }
        assertNothingIsSpent("framed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Host: x\r\nHost: y\r\n"})
    void hostInDoubt_isRefused_andNothingIsSpent(String headers) throws Exception {
        String answer = server.raw(check(headers) + check("Host: x\r\n"));
        assertThat(answer).startsWith("HTTP/1.1 400").contains("\"field\":\"Host\"");
        assertOneAnswer(answer);
        assertNothingIsSpent("framed");
    }

    @Test
    void afterTheLastAnswer_nothingIsHeard() throws Exception {
        String tooLarge = "POST /v1/peek HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n" + "x".repeat(70_000);
        assertOneAnswer(server.raw(tooLarge + check("Host: x\r\n")));
        String last = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        assertOneAnswer(server.raw(last + check("Host: x\r\n")));
        assertNothingIsSpent("framed");
    }

    @Test
    void connectionHeaders_allCount() throws Exception {
        String body = BODY.replace("framed", "twice");
        assertThat(server.raw("POST /v1/check HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nConnection: close\r\n"
                        + "Content-Length: " + body.length() + "\r\n\r\n" + body))
                .startsWith("HTTP/1.1 200")
                .contains("connection: close");
    }

    private static String check(String headers) {
        return "POST /v1/check HTTP/1.1\r\n" + headers + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY;
    }

    private static void assertOneAnswer(String answers) {
        assertThat(Pattern.compile("HTTP/1\\.[01] ").matcher(answers).results().count())
                .as(answers)
                .isEqualTo(1);
    }

    private static void assertNothingIsSpent(String user) {
        assertThat(json(server.post("/v1/peek", "{\"attributes\":{\"user\":\"" + user + "\"}}"))
                        .get("limits")
                        .get(0)
                        .get("remaining")
                        .asInt())
                .isEqualTo(100);
    }
}

package dev.weir.binding.servlet;

import static dev.weir.binding.servlet.App.weir;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Weir;
import dev.weir.engine.idempotency.MemoryResponseStore;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Bodies that the filter has read, and that the application can still read. */
@Tag("io")
@ParameterizedClass
@EnumSource(Container.class)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class BodyTest {
    private static final String JSON = "application/json";

    private final Container container;
    private final Weir weir = weir("limits: [{ name: device, per: [\"device|ip\"], rate: 5/hour }]");
    private final MemoryResponseStore responses = new MemoryResponseStore();

    BodyTest(Container container) {
        this.container = container;
    }

    @AfterEach
    void close() {
        weir.close();
        responses.close();
    }

    private WeirFilter filter(int bytes) {
        return WeirFilter.builder(weir)
                .attribute("device", Extractor.jsonBody("/device"))
                .bodyUpTo(bytes)
                .build();
    }

    private static String scopeAndBody(HttpResponse<String> response) {
        return response.headers().firstValue("X-RateLimit-Remaining").orElse("-") + " " + response.body();
    }

    @Test
    void aField_isReadAndTheBodyStaysWhole() throws Exception {
        App.Work echo = (request, response) -> {
            byte[] body = request.getRequestURI().equals("/reader")
                    ? request.getReader().readLine().getBytes(StandardCharsets.UTF_8)
                    : request.getInputStream().readAllBytes();
            response.getOutputStream().write(body);
        };
        try (App app = App.start(container, echo, filter(1000))) {
            String one = "{\"device\":\"d1\",\"value\":[1,2,{\"device\":\"no\"}]}";
            assertThat(scopeAndBody(app.post("/stream", one, "Content-Type", JSON)))
                    .isEqualTo("4 " + one);
            assertThat(scopeAndBody(app.post("/reader", one, "Content-Type", JSON)))
                    .isEqualTo("3 " + one);
            String other = "{\"device\":\"d2\"}";
            assertThat(scopeAndBody(app.post("/stream", other, "Content-Type", "application/x+json;charset=utf-8")))
                    .isEqualTo("4 " + other);
        }
    }

    @Test
    void aFieldThatIsNotThere_leavesTheAddress() throws Exception {
        App.Work echo = (request, response) ->
                response.getOutputStream().write(request.getInputStream().readAllBytes());
        try (App app = App.start(container, echo, filter(1000))) {
            String[] absent = {"", "{}", "[1]", "{\"device\":{}}", "{\"device\":null}"};
            for (int i = 0; i < absent.length; i++) {
                assertThat(scopeAndBody(app.post("/x", absent[i], "Content-Type", JSON)))
                        .isEqualTo((4 - i) + " " + absent[i]);
            }
            HttpResponse<String> refused = app.post("/x", "{\"device\":", "Content-Type", JSON);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.body()).contains("\"bucket_id_type\":\"ip\"");
            // Two fields of one name: the last counts, as it does for the application.
            String twice = "{\"device\":\"random\",\"device\":\"d9\"}";
            assertThat(scopeAndBody(app.post("/x", twice, "Content-Type", JSON)))
                    .startsWith("4 ");
            assertThat(scopeAndBody(app.post("/x", "{\"device\":\"d9\"}", "Content-Type", JSON)))
                    .startsWith("3 ");
        }
    }

    @Test
    void aFieldBeforeAFaultOrTheBound_counts() throws Exception {
        App.Work measure = (request, response) ->
                response.getWriter().write("" + request.getInputStream().readAllBytes().length);
        try (Weir kinds = weir("""
                        limits:
                          - { name: heavy, match: { kind: heavy }, rate: 2/hour }
                          - { name: must, match: { path: /must }, per: [kind], rate: 100/hour, on-missing: deny }
                        """);
                App app = App.start(
                        container,
                        measure,
                        WeirFilter.builder(kinds)
                                .attribute("kind", Extractor.jsonBody("/kind"))
                                .build())) {
            String junk = "{\"kind\":\"heavy\"} x";
            String padded = "{\"kind\":\"heavy\",\"fill\":\"" + "x".repeat(66_000) + "\"}";
            assertThat(scopeAndBody(app.post("/x", junk, "Content-Type", JSON))).isEqualTo("1 " + junk.length());
            assertThat(scopeAndBody(app.post("/x", padded, "Content-Type", JSON)))
                    .isEqualTo("0 " + padded.length());
            assertThat(app.post("/x", junk, "Content-Type", JSON).statusCode()).isEqualTo(429);
            String late = "{\"fill\":\"" + "x".repeat(66_000) + "\",\"kind\":\"light\"}";
            assertThat(app.post("/must", late, "Content-Type", JSON).statusCode())
                    .as("a limit that is per the attribute can insist on it")
                    .isEqualTo(429);
        }
    }

    @Test
    void aBodyBeyondTheBound_countsForWhatWasReadAndStaysWhole() throws Exception {
        App.Work measure = (request, response) ->
                response.getWriter().write("" + request.getInputStream().readAllBytes().length);
        try (App app = App.start(container, measure, filter(1000))) {
            String large = "{\"device\":\"d1\",\"fill\":\"" + "x".repeat(50_000) + "\"}";
            assertThat(scopeAndBody(app.post("/x", large, "Content-Type", JSON)))
                    .isEqualTo("4 " + large.length());
            assertThat(chunked(app.port(), large))
                    .contains("X-RateLimit-Remaining: 3")
                    .endsWith("" + large.length());
            String later = "{\"fill\":\"" + "x".repeat(50_000) + "\",\"device\":\"d1\"}";
            assertThat(scopeAndBody(app.post("/x", later, "Content-Type", JSON)))
                    .as("what comes behind the bound leaves the address")
                    .isEqualTo("4 " + later.length());
        }
    }

    /** The application and its limit find the same field in a body, in any charset. */
    @Test
    void aFieldThatOnlyTheApplicationWouldFind_isRefused() throws Exception {
        App.Work serve = (request, response) -> request.getInputStream().readAllBytes();
        try (Weir kinds = weir("limits: [{ name: heavy, match: { kind: [heavy, null] }, rate: 0/hour }]");
                App app = App.start(
                        container,
                        serve,
                        WeirFilter.builder(kinds)
                                .attribute("kind", Extractor.jsonBody("/kind"))
                                .refusingLongerBodies()
                                .build())) {
            String behind = "{\"kind\":\"light\",\"fill\":\"" + "x".repeat(66_000) + "\",\"kind\":\"heavy\"}";
            HttpResponse<String> tooLarge = app.post("/x", behind, "Content-Type", JSON);
            assertThat(tooLarge.statusCode()).isEqualTo(413);
            assertThat(tooLarge.body()).contains("65536 bytes");
            String light = "{\"kind\":\"light\"}";
            for (String charset : new String[] {"Shift_JIS", "\"GBK\"", "ISO-2022-JP", "IBM037", "x-UTF-16LE-BOM"}) {
                HttpResponse<String> refused = app.post("/x", light, "Content-Type", JSON + "; charset=" + charset);
                assertThat(refused.statusCode()).as(charset).isEqualTo(400);
                assertThat(refused.body()).contains("must be UTF-8");
            }
            for (String charset : new String[] {"utf-8", "\"UTF-8\"", "UTF-16", "ISO-8859-1", "us-ascii"}) {
                assertThat(app.post("/x", light, "Content-Type", JSON + "; charset=" + charset)
                                .statusCode())
                        .as(charset)
                        .isEqualTo(200);
            }
            assertThat(app.served).hasValue(5);
        }
    }

    @Test
    void aListener_getsAllOfIt() throws Exception {
        App.Work listening = (request, response) -> {
            AsyncContext context = request.startAsync();
            ServletInputStream in = request.getInputStream();
            in.setReadListener(new ReadListener() {
                private final ByteArrayOutputStream read = new ByteArrayOutputStream();

                @Override
                public void onDataAvailable() throws IOException {
                    byte[] piece = new byte[512];
                    while (in.isReady() && !in.isFinished()) {
                        int count = in.read(piece);
                        if (count > 0) {
                            read.write(piece, 0, count);
                        }
                    }
                }

                @Override
                public void onAllDataRead() throws IOException {
                    context.getResponse().getWriter().write("" + read.size());
                    context.complete();
                }

                @Override
                public void onError(Throwable failure) {
                    context.complete();
                }
            });
        };
        try (App app = App.start(container, listening, filter(1000))) {
            String small = "{\"device\":\"d1\"}";
            assertThat(scopeAndBody(app.post("/x", small, "Content-Type", JSON)))
                    .isEqualTo("4 " + small.length());
            String large = "{\"device\":\"d1\",\"fill\":\"" + "x".repeat(200_000) + "\"}";
            assertThat(scopeAndBody(app.post("/x", large, "Content-Type", JSON)))
                    .isEqualTo("3 " + large.length());
            assertThat(chunked(app.port(), large))
                    .contains("X-RateLimit-Remaining: 2")
                    .endsWith("" + large.length());
        }
    }

    @Test
    void forms_haveTheirParametersAndFiles() throws Exception {
        App.Work forms = (request, response) -> {
            if (request.getContentType().startsWith("multipart/")) {
                var part = request.getPart("file");
                response.getWriter().write(new String(part.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            } else {
                response.setCharacterEncoding("UTF-8");
                response.getWriter()
                        .write(request.getParameter("a") + " "
                                + Arrays.toString(request.getParameterValues("b")) + " "
                                + request.getParameterMap().keySet());
            }
        };
        WeirFilter filter = WeirFilter.builder(weir)
                .idempotency(Idempotency.with(responses))
                .build();
        try (App app = App.start(container, forms, filter)) {
            String[] form = {"Content-Type", "application/x-www-form-urlencoded", "Idempotency-Key", "f"};
            String expected = "über [0, 1, 2] [b, a, c]";
            assertThat(app.post("/x?b=0", "a=%C3%BCber&b=1&b=2&c", form).body()).isEqualTo(expected);
            assertThat(app.post("/x?b=0", "a=%C3%BCber&b=1&b=2&c", form).body()).isEqualTo(expected);
            assertThat(app.served).hasValue(1);
            for (String boundary : new String[] {"AaB03x", "BbC14y"}) {
                String parts =
                        "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n"
                                + "in the file\r\n--" + boundary + "--\r\n";
                assertThat(app.post(
                                        "/x",
                                        parts,
                                        "Content-Type",
                                        "multipart/form-data; boundary=" + boundary,
                                        "Idempotency-Key",
                                        "m")
                                .body())
                        .isEqualTo("in the file");
            }
            assertThat(app.served).hasValue(2);
        }
    }

    /** Sends a body without a content length. */
    private static String chunked(int port, String body) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            String head = "POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(body.length()) + "\r\n" + body
                    + "\r\n0\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.replaceAll("\r\n0\r\n\r\n$", "").stripTrailing();
        }
    }
}

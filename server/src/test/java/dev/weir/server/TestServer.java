package dev.weir.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.fixture.TestTimeouts;
import dev.weir.server.envoy.EnvoyVectors;
import dev.weir.server.envoy.RateLimitDecisions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A running server, and helpers to talk to it over real sockets. */
public final class TestServer implements AutoCloseable {
    public static final String TOKEN = "a-token-for-tests";
    static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern CONTENT_LENGTH =
            Pattern.compile("^content-length: (\\d+)", Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

    public final WeirServer server;
    public final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private TestServer(ServerOptions options) {
        this(WeirServer.start(options));
    }

    private TestServer(WeirServer server) {
        this.server = server;
    }

    /** Accepts the host x, which handwritten requests use. */
    private static ServerOptions calledX(ServerOptions options) {
        List<String> names = new ArrayList<>(options.access().allowedHosts());
        names.add("x");
        AccessOptions given = options.access();
        return options.withAccess(new AccessOptions(given.tokens(), given.requireToken(), given.corsOrigins(), names));
    }

    public static TestServer preset(String name) {
        return start(ServerOptions.of(ConfigurationSource.preset(name)).withStore("memory"));
    }

    public static TestServer yaml(String yaml) {
        return start(ServerOptions.of(ConfigurationSource.text("test.yaml", yaml)));
    }

    public static TestServer yaml(String yaml, UnaryOperator<ServerOptions> more) {
        return start(more.apply(ServerOptions.of(ConfigurationSource.text("test.yaml", yaml))));
    }

    public static TestServer start(ServerOptions options) {
        return new TestServer(calledX(options).withAdminToken(TOKEN).withDrainDelay(Duration.ZERO));
    }

    /** A server for gRPC and HTTP whose rate limit service has these decisions. */
    public static TestServer deciding(RateLimitDecisions decisions) {
        ConfigurationSource none = ConfigurationSource.text("test.yaml", "version: 1\nlimits: []\n");
        ServerOptions options =
                ServerOptions.of(none).withGrpc(GrpcOptions.of(0)).withDrainDelay(Duration.ZERO);
        return new TestServer(
                WeirServer.start(options, WeirServer.configuration(none), weir -> EnvoyVectors.service(decisions)));
    }

    /** A server with exactly these options. */
    static TestServer asIs(ServerOptions options) {
        return new TestServer(options);
    }

    public HttpResponse<String> post(String path, String body) {
        return send("POST", path, body);
    }

    public HttpResponse<String> get(String path) {
        return send("GET", path, null);
    }

    public HttpResponse<String> check(String attributes) {
        return post("/v1/check", "{\"attributes\":" + attributes + "}");
    }

    public HttpResponse<String> admin(String method, String path, String body) {
        return send(method, path, body, "Authorization", "Bearer " + TOKEN);
    }

    public HttpResponse<String> send(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .timeout(TestTimeouts.LONG);
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public static JsonNode json(HttpResponse<String> response) {
        return json(response.body());
    }

    public static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new AssertionError(text, e);
        }
    }

    /**
     * Sends bytes as they are, and reads until the server closes: for requests that end the connection, or that make
     * the server end it.
     */
    public String raw(String bytes) throws IOException {
        return raw(bytes, Integer.MAX_VALUE);
    }

    /** Sends bytes as they are, and reads until so many responses are complete, or the server closes. */
    public String raw(String bytes, int responses) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout((int) TestTimeouts.LONG.toMillis());
            OutputStream out = socket.getOutputStream();
            out.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            return read(socket.getInputStream(), responses);
        }
    }

    private static String read(InputStream in, int responses) throws SocketTimeoutException {
        StringBuilder text = new StringBuilder();
        byte[] buffer = new byte[8192];
        int start = 0;
        try {
            int whole = 0;
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                text.append(new String(buffer, 0, n, StandardCharsets.ISO_8859_1));
                for (int end = endOfResponse(text, start); end >= 0; end = endOfResponse(text, start)) {
                    start = end;
                    whole++;
                }
                if (whole >= responses) {
                    break;
                }
            }
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            // A reset closes the connection, too.
        }
        return text.toString();
    }

    /** The end of the response that begins here; -1 if it is incomplete. */
    private static int endOfResponse(StringBuilder text, int start) {
        int head = text.indexOf("\r\n\r\n", start);
        if (head < 0) {
            return -1;
        }
        Matcher length = CONTENT_LENGTH.matcher(text.substring(start, head));
        int end = head + 4 + (length.find() ? Integer.parseInt(length.group(1)) : 0);
        return end <= text.length() ? end : -1;
    }

    public Frames frames() {
        Frames frames = new Frames();
        frames.socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(server.url().replace("http", "ws") + "/v1/ws"), frames)
                .join();
        return frames;
    }

    /** A WebSocket client that keeps the messages it receives. */
    public static final class Frames implements WebSocket.Listener {
        /** The close code of a connection that ends without one. */
        static final int CUT_OFF = 1006;

        final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        public final BlockingQueue<Integer> closed = new LinkedBlockingQueue<>();
        private final StringBuilder part = new StringBuilder();
        public WebSocket socket;

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            part.append(data);
            if (last) {
                heard.add(part.toString());
                part.setLength(0);
            }
            from.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            closed.add(code);
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            closed.add(CUT_OFF);
        }

        public JsonNode ask(String frame) throws InterruptedException {
            socket.sendText(frame, true).join();
            return next();
        }

        JsonNode next() throws InterruptedException {
            String frame = heard.poll(TestTimeouts.LONG.toSeconds(), TimeUnit.SECONDS);
            if (frame == null) {
                throw new AssertionError("no frame came; closed with " + closed);
            }
            return json(frame);
        }

        public Integer closeCode() throws InterruptedException {
            return closed.poll(TestTimeouts.LONG.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

package dev.weir.cli.operate;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The HTTP calls of a running server. Not for use after an interrupt. */
public final class ServerClient {
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

    private final URI server;
    private final @Nullable String token;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(REQUEST_TIMEOUT)
            .build();

    /** @param token sent as a bearer token; null for none */
    public ServerClient(URI server, @Nullable String token) {
        this.server = server;
        this.token = token;
    }

    /** A response: its status and its document. */
    public record Response(int status, String body) {
        /** Whether the status is neither a redirection nor an error. */
        public boolean isSuccess() {
            return status < 300;
        }

        /** The document; an empty value if it is not JSON. */
        public JsonValue json() {
            JsonValue parsed = JsonValue.parse(body);
            return parsed == null ? Objects.requireNonNull(JsonValue.parse("{}")) : parsed;
        }
    }

    /** Thrown if the server does not answer, or answers with an error. */
    public static final class CallFailedException extends Exception {
        private static final long serialVersionUID = 1L;

        CallFailedException(String message) {
            super(message, null, false, false);
        }
    }

    /** Sends a request; returns a response of any status. */
    public Response send(String method, String path, @Nullable String body) throws CallFailedException {
        try {
            HttpResponse<String> response = client.send(
                    request(path)
                            .timeout(REQUEST_TIMEOUT)
                            .header("Content-Type", "application/json")
                            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                            .build(),
                    BodyHandlers.ofString());
            return new Response(response.statusCode(), response.body());
        } catch (IOException e) {
            throw unreachable(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CallFailedException("interrupted");
        }
    }

    /** Sends a request; throws unless the response is a success. */
    public Response call(String method, String path, @Nullable String body) throws CallFailedException {
        Response response = send(method, path, body);
        if (!response.isSuccess()) {
            throw failed(response);
        }
        return response;
    }

    /** The error of a response as an exception, with what to do about it. */
    public CallFailedException failed(Response response) {
        String detail = response.json().get("detail").text();
        String cure = switch (response.status()) {
            case 401 -> "; give a token: --token-file FILE, or WEIR_TOKEN";
            default -> "";
        };
        return new CallFailedException(
                "the server answered " + response.status() + (detail.isEmpty() ? "" : ": " + detail) + cure);
    }

    /**
     * Follows server-sent events until the server ends them.
     *
     * @param each called with the kind and the data of each event
     */
    public void follow(String path, BiConsumer<String, String> each) throws CallFailedException {
        try {
            HttpResponse<InputStream> response = client.send(request(path).GET().build(), BodyHandlers.ofInputStream());
            try (InputStream input = response.body()) {
                if (response.statusCode() >= 300) {
                    throw failed(new Response(
                            response.statusCode(), new String(input.readNBytes(1 << 16), StandardCharsets.UTF_8)));
                }
                BufferedReader lines = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
                String kind = "message";
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith("event: ")) {
                        kind = line.substring(7);
                    } else if (line.startsWith("data: ")) {
                        each.accept(kind, line.substring(6));
                    }
                }
            }
        } catch (IOException e) {
            throw unreachable(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CallFailedException("interrupted");
        }
    }

    private HttpRequest.Builder request(String path) {
        // Appended, not resolved: behind a proxy the server's URL may have a path of its own.
        String base = server.toString().replaceFirst("/+$", "");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private CallFailedException unreachable(IOException e) {
        return new CallFailedException("no answer from " + server + " ("
                + e.getClass().getSimpleName() + "); is a server running? weir serve starts one");
    }

    /** A text as one segment of a path. */
    public static String segment(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}

package dev.weir.store.durableobjects;

import dev.weir.StoreException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client of the worker. It bounds every response, follows no redirects and repeats no request.
 *
 * <p>With TLS it uses HTTP/2, with all requests on one connection; without TLS, HTTP/1.1 with persistent connections.
 * Safe for use by several threads.
 */
final class WorkerClient {
    /** Version of the protocol between store and worker; {@code docs/durable-objects.md} defines it. */
    private static final String PROTOCOL = "2";

    /** Minimum timeout of the version check, which makes the first connection and may start the first object. */
    private static final Duration GREETING_TIMEOUT = Duration.ofSeconds(5);

    private static final int MOST_TO_SAY = 300;

    /** Maximum number of requests in flight. An HTTP/2 connection carries at least a hundred. */
    private static final int MOST_UNDER_WAY = 90;

    private final DurableObjectsStoreOptions options;
    private final String place;
    private final String base;
    private final HttpClient client;
    private final InFlightLimit gate = new InFlightLimit(MOST_UNDER_WAY);

    WorkerClient(DurableObjectsStoreOptions options) {
        this.options = options;
        this.place = options.host() + ":" + options.port();
        this.base = (options.tls() ? "https://" : "http://") + place;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(options.tls() ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
                .connectTimeout(options.timeout())
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(threads());
        Path authority = options.authority();
        if (authority != null) {
            builder.sslContext(CertificateAuthority.trusting(authority));
        }
        this.client = builder.build();
    }

    /** A small pool with an idle timeout; its tasks never block. */
    private static Executor threads() {
        AtomicInteger made = new AtomicInteger();
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(4, 4, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "weir-durable-objects-" + made.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** The worker's name for messages. */
    String name() {
        return "the worker at " + place;
    }

    Duration timeout() {
        return options.timeout();
    }

    /**
     * Checks that the worker responds, accepts the token and has this protocol version. Blocks until then.
     *
     * @throws StoreException if one of these checks fails
     */
    void checkVersion() {
        try {
            HttpResponse<byte[]> greeted =
                    get("/v1/health", greetingTimeout(), 1_000).join();
            String spoken = greeted.headers().firstValue("Weir-Protocol").orElse("none");
            if (!spoken.equals(PROTOCOL)) {
                throw new StoreException(
                        name() + " uses protocol " + shown(spoken) + ", not " + PROTOCOL
                                + "; deploy the worker that belongs to this version of Weir",
                        false,
                        null);
            }
        } catch (CompletionException e) {
            throw failed(e);
        }
    }

    private Duration greetingTimeout() {
        return options.timeout().compareTo(GREETING_TIMEOUT) > 0 ? options.timeout() : GREETING_TIMEOUT;
    }

    CompletableFuture<HttpResponse<byte[]>> get(String path, Duration timeout, int mostBytes) {
        return send(request(path, timeout).GET().build(), mostBytes);
    }

    CompletableFuture<HttpResponse<byte[]>> post(String path, byte[] body, int mostBytes) {
        return send(
                request(path, options.timeout())
                        .POST(BodyPublishers.ofByteArray(body))
                        .build(),
                mostBytes);
    }

    /** Sends a PUT with {@code If-Match}. A response of 412, for another version, is no failure. */
    CompletableFuture<HttpResponse<byte[]>> put(String path, long version, byte[] body, Duration timeout) {
        return send(
                request(path, timeout)
                        .header("If-Match", "\"" + version + "\"")
                        .PUT(BodyPublishers.ofByteArray(body))
                        .build(),
                MOST_TO_SAY);
    }

    private HttpRequest.Builder request(String path, Duration timeout) {
        return HttpRequest.newBuilder(URI.create(base + path))
                .timeout(timeout)
                .header("Authorization", "Bearer " + options.token().secret())
                .header("Weir-Protocol", PROTOCOL);
    }

    private CompletableFuture<HttpResponse<byte[]>> send(HttpRequest request, int mostBytes) {
        long asked = System.nanoTime();
        CompletableFuture<HttpResponse<byte[]>> answer = gate.pass(() -> isLate(request, asked)
                ? CompletableFuture.failedFuture(new HttpTimeoutException("it was not sent in time"))
                : client.sendAsync(request, about -> new BoundedBody(Math.max(mostBytes, MOST_TO_SAY))));
        CompletableFuture<HttpResponse<byte[]>> checked = answer.thenApply(this::checked);
        var unused = checked.whenComplete((response, failure) -> answer.cancel(true));
        return checked;
    }

    private static boolean isLate(HttpRequest request, long asked) {
        return System.nanoTime() - asked > request.timeout().orElseThrow().toNanos();
    }

    private HttpResponse<byte[]> checked(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        if (status == 200 || status == 204 || status == 412) {
            return response;
        }
        String said = shown(new String(response.body(), StandardCharsets.UTF_8));
        if (status >= 300 && status < 400) {
            throw refused(
                    "answered " + status + ", which leads elsewhere; the store's URI must name the worker itself");
        }
        if (status == 401) {
            throw refused("rejected the token; the option token must be its secret WEIR_TOKEN");
        }
        if (status == 429 || status >= 500) {
            throw new StoreException(name() + " answered " + status + ": " + said, true, null);
        }
        throw refused("answered " + status + ": " + said);
    }

    private StoreException refused(String how) {
        return new StoreException(name() + " " + how, false, null);
    }

    /** Converts the failure of a request to an exception whose message contains no secret. */
    StoreException failed(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof StoreException known) {
            return known;
        }
        if (cause instanceof HttpTimeoutException || cause instanceof TimeoutException) {
            return new StoreException(name() + " did not answer in time", true, cause);
        }
        if (cause instanceof ConnectException) {
            return new StoreException(name() + " cannot be reached" + reason(cause), true, cause);
        }
        boolean mayPass = cause instanceof IOException;
        return new StoreException(name() + " failed" + reason(cause), mayPass, cause);
    }

    private String reason(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = cause.getMessage();
            if (message != null && !message.isBlank()) {
                return ": " + shown(message);
            }
        }
        return "";
    }

    /** Makes text from the worker safe for a log: one line of ASCII, of bounded length, without the token. */
    private String shown(String text) {
        String line = text.strip().lines().findFirst().orElse("").replaceAll("[^ -~]", "?");
        String safe = line.replace(options.token().secret(), "…");
        return safe.length() > MOST_TO_SAY ? safe.substring(0, MOST_TO_SAY) + "…" : safe;
    }
}

package dev.weir.server.http;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.engine.Outcome;
import dev.weir.engine.http.HeaderName;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request and its response. It reads the body within bounds, waits for the store without blocking, and ends
 * with exactly one response, also if handling throws. Not thread-safe: all calls happen on the connection's event loop.
 */
public final class Exchange {
    /*
     * Implementation notes.
     *
     * Threads: an instance belongs to the event loop of its connection. whenDone() continues there: at once if the
     * answer is complete, otherwise as a task of that loop. blocking() runs its work in a worker thread and continues
     * on the event loop as well. So no field needs a lock.
     *
     * Exactly one response: every part of the handling, and every continuation, runs inside run(). A StoreException
     * becomes 503 with Retry-After; any other RuntimeException becomes the response that ProblemException.caused() makes of it.
     * problem() and closing() do nothing once the response has begun or the connection is closed. So an exception after
     * the response cannot cause a second one.
     *
     * Bodies: a Body is pending until the first of complete, too large, over the memory bound, or broken off. end()
     * makes that transition once; later chunks are ignored. A refused body closes an HTTP/1.1 connection, because the
     * rest of the body would have to be read and thrown away. With HTTP/2 only the stream ends.
     *
     * Memory: request, body and response count towards the bounds of the connection, of its client and of the server.
     * With HTTP/1.1 a body is released as soon as it ends. With HTTP/2 everything is released when the stream closes: a
     * client may open many streams and never read their responses. If a response does not fit, the stream is reset.
     */
    public static final int MAX_BODY = 64 * 1024;

    /** Value of {@code Retry-After}, in seconds, when too many requests are in flight. */
    public static final String BUSY_WAIT = "1";

    /** Estimated heap cost of a request without headers and body, in bytes. */
    private static final int REQUEST_COST = 2 * 1024;
    /** Estimated heap cost of a header without name and value, in bytes. */
    private static final int HEADER_COST = 128;

    private static final int ENHANCE_YOUR_CALM = 11;

    /** Value of {@code Retry-After}, in seconds, when the store is unreachable. */
    public static final String UNREACHABLE_WAIT = "60";

    private final ServerState node;
    private final Connections.Watched connection;
    private final HttpServerRequest request;
    private List<String> parameters = List.of();
    private @Nullable String caller;
    private BooleanSupplier isTokenValid = () -> true;

    public Exchange(ServerState node, Connections.Watched connection, HttpServerRequest request) {
        this.node = node;
        this.connection = connection;
        this.request = request;
    }

    public HttpServerRequest request() {
        return request;
    }

    public HttpServerResponse response() {
        return request.response();
    }

    /** Returns the decoded value of an open part of the route's path. */
    public String parameter(int index) {
        return parameters.get(index);
    }

    Exchange with(List<String> newParameters) {
        parameters = newParameters;
        return this;
    }

    @Nullable
    String header(String name) {
        return request.getHeader(name);
    }

    /** Returns the address of the connection's peer. */
    String peer() {
        return String.valueOf(request.remoteAddress().hostAddress());
    }

    /** Returns the client's address: the peer's, or the one that trusted proxies report. */
    public String client() {
        MultiMap headers = request.headers();
        return node.weir.clients().of(peer(), headers.getAll("Forwarded"), headers.getAll("X-Forwarded-For"));
    }

    /** Returns whether the connection's peer is a trusted proxy. */
    public boolean comesFromProxy() {
        return node.weir.clients().trusts(peer());
    }

    /** Returns the host, with the port if there is one, that the client addressed; null if the request has none. */
    @Nullable
    String authority() {
        HostAndPort authority = request.version() == HttpVersion.HTTP_2 ? request.authority() : null;
        if (authority == null) {
            return request.getHeader(HttpHeaders.HOST);
        }
        String host = authority.host();
        String name = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
        return authority.port() < 0 ? name : name + ":" + authority.port();
    }

    /** Sets the name of the request's token and the check whether that token is still valid. */
    void calledBy(String token, BooleanSupplier isValid) {
        caller = token;
        isTokenValid = isValid;
    }

    /**
     * Returns the check whether the request's token is still valid; always true if none was needed. Streams call it
     * repeatedly.
     */
    public BooleanSupplier isTokenValid() {
        return isTokenValid;
    }

    /** Returns the name of the request's token. */
    public String caller() {
        return String.valueOf(caller);
    }

    /** Runs a part of the handling. An exception becomes the response; that of a failed store becomes 503. */
    public void run(Runnable part) {
        try {
            part.run();
        } catch (StoreException e) {
            unavailable();
        } catch (RuntimeException e) {
            problem(ProblemException.caused(e));
        }
    }

    /** Reads the body, of at most {@link #MAX_BODY} bytes, then calls {@code then}. Larger bodies get 413. */
    public void readBody(Consumer<byte[]> then) {
        String announced = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (announced != null && (announced.length() > 9 || Long.parseLong(announced) > MAX_BODY)) {
            refuseBody();
            return;
        }
        if (request.getHeader(HttpHeaders.EXPECT) != null) {
            response().writeContinue();
        }
        Body body = new Body(then);
        if (isHttp2() || body.hold(cost())) {
            connection.awaitBody(body.pending);
            request.exceptionHandler(broken -> body.end());
            request.handler(body::add);
            request.endHandler(end -> body.accept());
        } else {
            refuseBusy();
        }
    }

    /** An incomplete body. Its bytes are released when the body ends, or with HTTP/2 when the stream closes. */
    private final class Body {
        private final Consumer<byte[]> then;
        private final Connections.PendingBody pending = new Connections.PendingBody();
        private @Nullable Buffer all;
        private long heldBytes;
        private boolean hasEnded;

        Body(Consumer<byte[]> then) {
            this.then = then;
        }

        boolean hold(long bytes) {
            if (isHttp2()) {
                return connection.tryHoldForStream(request.streamId(), bytes);
            }
            boolean isHeld = connection.tryHold(bytes);
            heldBytes += isHeld ? bytes : 0;
            return isHeld;
        }

        void add(Buffer chunk) {
            if (hasEnded) {
                return;
            }
            if (all == null) {
                all = Buffer.buffer(chunk.length());
            }
            if (all.length() + chunk.length() > MAX_BODY) {
                end();
                refuseBody();
            } else if (!hold(2L * chunk.length())) { // A growing buffer has up to twice the capacity.
                end();
                refuseBusy();
            } else {
                all.appendBuffer(chunk);
            }
        }

        void accept() {
            if (!hasEnded) {
                byte[] bytes = all == null ? new byte[0] : all.getBytes();
                end();
                run(() -> then.accept(bytes));
            }
        }

        void end() {
            if (!hasEnded) {
                hasEnded = true;
                all = null;
                connection.bodyEnds(pending);
                connection.release(heldBytes);
            }
        }
    }

    /** Counts the memory of an HTTP/2 stream until it closes; returns false if a bound is exceeded. */
    public boolean isHeld() {
        return !isHttp2() || connection.tryHoldForStream(request.streamId(), cost());
    }

    private boolean isHttp2() {
        return request.version() == HttpVersion.HTTP_2;
    }

    private long cost() {
        long bytes = REQUEST_COST;
        for (Map.Entry<String, String> header : request.headers()) {
            bytes += HEADER_COST + header.getKey().length() + header.getValue().length();
        }
        return bytes;
    }

    /** Continues on this event loop when the answer is complete; at once if it already is. */
    public <T> void whenDone(Answer<T> answer, Consumer<T> then) {
        if (answer.isDone()) {
            proceed(answer, then);
            return;
        }
        Context loop = node.vertx.getOrCreateContext();
        answer.whenDone((value, failure) -> loop.runOnContext(hop -> proceed(answer, then)));
    }

    private <T> void proceed(Answer<T> answer, Consumer<T> then) {
        run(() -> then.accept(answer.now()));
    }

    /**
     * Calls {@code asking} for each element in order, then runs {@code then}. The stack does not grow with the number
     * of elements.
     */
    public <K, T> void each(Iterator<K> all, Function<K, Answer<T>> asking, BiConsumer<K, T> heard, Runnable then) {
        while (all.hasNext()) {
            K one = all.next();
            Answer<T> answer = asking.apply(one);
            if (!answer.isDone()) {
                whenDone(answer, value -> {
                    heard.accept(one, value);
                    each(all, asking, heard, then);
                });
                return;
            }
            heard.accept(one, answer.now());
        }
        then.run();
    }

    /** Runs blocking work in a worker thread, then continues on this event loop. */
    public <T> void blocking(java.util.concurrent.Callable<T> work, Consumer<T> then) {
        node.vertx
                .executeBlocking(work, false)
                .onComplete(done -> run(() -> {
                    Throwable failure = done.cause();
                    if (failure instanceof RuntimeException unchecked) {
                        throw unchecked;
                    }
                    if (failure != null) {
                        throw new IllegalStateException(failure);
                    }
                    then.accept(Objects.requireNonNull(done.result()));
                }));
    }

    /** Responds with a decision and its headers. */
    public void decision(Outcome outcome, int status, byte[] document) {
        headers(outcome);
        end(status, FixedHeaders.JSON_TYPE, document);
    }

    /** Adds the headers of a decision. */
    public void headers(Outcome outcome) {
        MultiMap response = response().headers();
        HttpDecision.headers(outcome, System.currentTimeMillis(), response::add);
    }

    public void json(int status, Json document) {
        end(status, FixedHeaders.JSON_TYPE, document.bytes());
    }

    public void empty(int status) {
        FixedHeaders.makeSafe(response());
        node.count(status);
        response().setStatusCode(status).end();
    }

    public void problem(ProblemException problem) {
        if (response().headWritten() || response().closed()) {
            return;
        }
        end(problem.status(), FixedHeaders.PROBLEM_TYPE, problem.document());
    }

    public void text(CharSequence type, byte[] text) {
        end(200, type, text);
    }

    public void text(int status, CharSequence type, byte[] text) {
        end(status, type, text);
    }

    void end(int status, CharSequence type, byte[] body) {
        HttpServerResponse response = response();
        FixedHeaders.makeSafe(response);
        node.count(status);
        if (isHttp2() && !connection.tryHoldForStream(request.streamId(), body.length)) {
            // The client does not read its responses, and this one would be buffered as well.
            response.reset(ENHANCE_YOUR_CALM);
            return;
        }
        response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type).end(Buffer.buffer(body));
    }

    /** Responds with 413 and ends the connection, because the rest of the body would only be thrown away. */
    private void refuseBody() {
        closing(tooLarge());
    }

    public static ProblemException tooLarge() {
        return ProblemException.of(413, "too_large", "the body is larger than " + MAX_BODY + " bytes");
    }

    /** Refuses the request because too many are in flight. */
    public void refuseBusy() {
        if (!response().headWritten()) {
            response().putHeader(HeaderName.RETRY_AFTER, BUSY_WAIT);
        }
        closing(busy());
    }

    public static ProblemException busy() {
        return ProblemException.of(
                503, "unavailable", "too many requests are in flight; try again in " + BUSY_WAIT + " s");
    }

    /** Responds, then closes the connection; with HTTP/2 only the stream ends. */
    public void closing(ProblemException problem) {
        if (response().headWritten() || response().closed()) {
            return;
        }
        FixedHeaders.makeSafe(response());
        node.count(problem.status());
        if (!isHttp2()) {
            response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        response()
                .setStatusCode(problem.status())
                .putHeader(HttpHeaders.CONTENT_TYPE, FixedHeaders.PROBLEM_TYPE)
                .end(Buffer.buffer(problem.document()))
                .onComplete(sent -> {
                    if (!isHttp2()) {
                        request.connection().close();
                    }
                });
    }

    private void unavailable() {
        response().putHeader(HeaderName.RETRY_AFTER, UNREACHABLE_WAIT);
        problem(unreachable());
    }

    /** Returns the problem that a failed store becomes. */
    public static ProblemException unreachable() {
        return ProblemException.of(503, "unavailable", "Rate limiter temporarily unavailable");
    }

    /** Responds to a CORS preflight with what pages of an allowed origin may send. */
    void preflight(String methods) {
        response()
                .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, String.valueOf(header("Origin")))
                .putHeader(HttpHeaders.VARY, "Origin")
                .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS, methods)
                .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type")
                .putHeader(HttpHeaders.ACCESS_CONTROL_MAX_AGE, "600");
        empty(204);
    }

    public boolean isHead() {
        return request.method().equals(HttpMethod.HEAD);
    }

    public Connections.Watched connection() {
        return connection;
    }

    /**
     * Responds with 200 and keeps the response open for events until the client disconnects; throws if too many clients
     * follow already.
     */
    public void follow(CharSequence type, Runnable whenClosed) {
        String client = client();
        node.followers.enter(client);
        connection.streamBegins(isTokenValid);
        FixedHeaders.makeSafe(response());
        node.count(200);
        response()
                .setChunked(true)
                .putHeader(HttpHeaders.CONTENT_TYPE, type)
                .closeHandler(closed -> {
                    whenClosed.run();
                    node.followers.leave(client);
                    connection.streamEnds(isTokenValid);
                })
                .exceptionHandler(ignored -> {
                    // The client disconnected; the close handler follows.
                });
    }
}

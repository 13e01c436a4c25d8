package dev.weir.server;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.engine.Outcome;
import dev.weir.engine.http.DecisionText;
import dev.weir.engine.http.HeaderName;
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
 * One request and its answer: reads the body within bounds, waits for the store without blocking, and ends with exactly
 * one response, whatever is thrown on the way. Belongs to its connection's event loop.
 */
final class Exchange {
    static final int MAX_BODY = 64 * 1024;

    /** How long to wait, in seconds, when too much is under way. */
    static final String BUSY_WAIT = "1";

    /** What a request costs beside its headers and its body. */
    private static final int REQUEST_COST = 2 * 1024;
    /** What a header costs beside its name and value. */
    private static final int HEADER_COST = 128;

    private static final int ENHANCE_YOUR_CALM = 11;

    /** How long to wait, in seconds, when the store is gone. */
    static final String UNREACHABLE_WAIT = "60";

    private final Node node;
    private final Connections.Watched connection;
    private final HttpServerRequest request;
    private List<String> parameters = List.of();
    private @Nullable String caller;
    private BooleanSupplier isTokenValid = () -> true;

    Exchange(Node node, Connections.Watched connection, HttpServerRequest request) {
        this.node = node;
        this.connection = connection;
        this.request = request;
    }

    HttpServerRequest request() {
        return request;
    }

    HttpServerResponse response() {
        return request.response();
    }

    /** A part of the path that the route leaves open, decoded. */
    String parameter(int index) {
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

    /** The address of the connection's other end. */
    String peer() {
        return String.valueOf(request.remoteAddress().hostAddress());
    }

    /** Who asks, as far as it can be believed. */
    String client() {
        MultiMap headers = request.headers();
        return node.weir.clients().of(peer(), headers.getAll("Forwarded"), headers.getAll("X-Forwarded-For"));
    }

    /** Whether the connection's other end is a trusted proxy. */
    boolean comesFromProxy() {
        return node.weir.clients().trusts(peer());
    }

    /** The name, and perhaps the port, that the client calls the server by; null if it does not say. */
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

    /** Remembers the name of the token that the request came with, and how to ask whether it is still valid. */
    void calledBy(String token, BooleanSupplier isValid) {
        caller = token;
        isTokenValid = isValid;
    }

    /** Whether the token that the request came with, if it needed one, is still valid; to be asked for as long as it lasts. */
    BooleanSupplier isTokenValid() {
        return isTokenValid;
    }

    /** The name of the token that the request came with. */
    String caller() {
        return String.valueOf(caller);
    }

    /** Runs a part of handling the request; what it throws becomes the answer. A failed store becomes 503. */
    void run(Runnable part) {
        try {
            part.run();
        } catch (StoreException e) {
            unavailable();
        } catch (RuntimeException e) {
            problem(Problem.caused(e));
        }
    }

    /** Reads the body, of at most {@link #MAX_BODY} bytes. */
    void readBody(Consumer<byte[]> then) {
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

    /** A body on its way. What it holds is released when it has ended; of HTTP/2, when its stream has. */
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
            } else if (!hold(2L * chunk.length())) { // A buffer that grows has up to twice the room.
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

    /** Counts an HTTP/2 stream in, until it closes; false if too much is under way. */
    boolean isHeld() {
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

    /** Goes on with an answer on this event loop: at once if it is here. */
    <T> void whenDone(Answer<T> answer, Consumer<T> then) {
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

    /** Asks about one after the other, then goes on. However many there are, the stack does not grow with them. */
    <K, T> void each(Iterator<K> all, Function<K, Answer<T>> asking, BiConsumer<K, T> heard, Runnable then) {
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

    /** Runs something that blocks elsewhere, then goes on here. */
    <T> void blocking(java.util.concurrent.Callable<T> work, Consumer<T> then) {
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

    /** Answers with a decision. */
    void decision(Outcome outcome, int status, byte[] document) {
        headers(outcome);
        end(status, FixedHeaders.JSON_TYPE, document);
    }

    /** The headers of a decision. */
    void headers(Outcome outcome) {
        MultiMap response = response().headers();
        DecisionText.headers(outcome, System.currentTimeMillis(), response::add);
    }

    void json(int status, Json document) {
        end(status, FixedHeaders.JSON_TYPE, document.bytes());
    }

    void empty(int status) {
        FixedHeaders.makeSafe(response());
        node.count(status);
        response().setStatusCode(status).end();
    }

    void problem(Problem problem) {
        if (response().headWritten() || response().closed()) {
            return;
        }
        end(problem.status(), FixedHeaders.PROBLEM_TYPE, problem.document());
    }

    void text(CharSequence type, byte[] text) {
        end(200, type, text);
    }

    void end(int status, CharSequence type, byte[] body) {
        HttpServerResponse response = response();
        FixedHeaders.makeSafe(response);
        node.count(status);
        if (isHttp2() && !connection.tryHoldForStream(request.streamId(), body.length)) {
            // The client reads none of its responses; this one would wait with them.
            response.reset(ENHANCE_YOUR_CALM);
            return;
        }
        response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type).end(Buffer.buffer(body));
    }

    /** Says so, and ends the connection: what is still to come would only have to be thrown away. */
    private void refuseBody() {
        closing(tooLarge());
    }

    static Problem tooLarge() {
        return Problem.of(413, "too_large", "the body is larger than " + MAX_BODY + " bytes");
    }

    /** Refuses the request because too much is under way already. */
    void refuseBusy() {
        if (!response().headWritten()) {
            response().putHeader(HeaderName.RETRY_AFTER, BUSY_WAIT);
        }
        closing(busy());
    }

    static Problem busy() {
        return Problem.of(503, "unavailable", "too many requests are under way; try again in " + BUSY_WAIT + " s");
    }

    /** Answers for the last time on this connection, or on this stream of HTTP/2. */
    void closing(Problem problem) {
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

    /** What a failed store becomes. */
    static Problem unreachable() {
        return Problem.of(503, "unavailable", "Rate limiter temporarily unavailable");
    }

    /** What the page of an allowed origin may send. */
    void preflight(String methods) {
        response()
                .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, String.valueOf(header("Origin")))
                .putHeader(HttpHeaders.VARY, "Origin")
                .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS, methods)
                .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type")
                .putHeader(HttpHeaders.ACCESS_CONTROL_MAX_AGE, "600");
        empty(204);
    }

    boolean isHead() {
        return request.method().equals(HttpMethod.HEAD);
    }

    Connections.Watched connection() {
        return connection;
    }

    /** Answers with 200 and events for as long as the client listens; throws if too many do already. */
    void follow(CharSequence type, Runnable whenClosed) {
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
                    // Gone without a word; the close handler follows.
                });
    }
}

package dev.weir.server;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.engine.Outcome;
import dev.weir.engine.http.DecisionText;
import dev.weir.engine.http.HeaderName;
import dev.weir.engine.http.Json;
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
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer: reads the body within bounds, waits for the store without blocking, and ends with exactly
 * one response, whatever is thrown on the way. Belongs to its connection's event loop.
 */
final class Exchange {
    static final int MAX_BODY = 64 * 1024;

    /** How long to wait, in seconds, when the store is gone. */
    static final String UNREACHABLE_WAIT = "60";

    private final Node node;
    private final Connections.Watched connection;
    private final HttpServerRequest request;
    private List<String> parameters = List.of();
    private @Nullable String caller;

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
        return node.weir().clients().of(peer(), headers.getAll("Forwarded"), headers.getAll("X-Forwarded-For"));
    }

    /** Whether the connection's other end is a trusted proxy. */
    boolean comesFromProxy() {
        return node.weir().clients().trusts(peer());
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

    /** Remembers the name of the token that the request came with. */
    void calledBy(String token) {
        caller = token;
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
        connection.awaitBody();
        Body body = new Body();
        request.handler(body::add);
        request.endHandler(end -> {
            connection.bodyIsHere();
            if (!body.isTooLarge) {
                run(() -> then.accept(body.bytes()));
            }
        });
    }

    private final class Body {
        private @Nullable Buffer all;
        private boolean isTooLarge;

        void add(Buffer chunk) {
            if (isTooLarge) {
                return;
            }
            if (all == null) {
                all = Buffer.buffer(chunk.length());
            }
            if (all.length() + chunk.length() > MAX_BODY) {
                isTooLarge = true;
                all = null;
                refuseBody();
            } else {
                all.appendBuffer(chunk);
            }
        }

        byte[] bytes() {
            return all == null ? new byte[0] : all.getBytes();
        }
    }

    /** Goes on with an answer on this event loop: at once if it is here. */
    <T> void whenDone(Answer<T> answer, Consumer<T> then) {
        if (answer.isDone()) {
            proceed(answer, then);
            return;
        }
        Context loop = node.vertx().getOrCreateContext();
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
        node.vertx()
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
        response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type).end(Buffer.buffer(body));
    }

    /** Says so, and ends the connection: what is still to come would only have to be thrown away. */
    private void refuseBody() {
        closing(tooLarge());
    }

    static Problem tooLarge() {
        return Problem.of(413, "too_large", "the body is larger than " + MAX_BODY + " bytes");
    }

    /** Answers for the last time on this connection. */
    void closing(Problem problem) {
        if (response().headWritten() || response().closed()) {
            return;
        }
        FixedHeaders.makeSafe(response());
        node.count(problem.status());
        if (request.version() != HttpVersion.HTTP_2) {
            response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        response()
                .setStatusCode(problem.status())
                .putHeader(HttpHeaders.CONTENT_TYPE, FixedHeaders.PROBLEM_TYPE)
                .end(Buffer.buffer(problem.document()))
                .onComplete(sent -> {
                    if (request.version() != HttpVersion.HTTP_2) {
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

    /** The response goes on for as long as the client listens. */
    Connections.Watched streams() {
        connection.streams();
        return connection;
    }
}

package dev.weir.example.hub;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One HTTP request and its response. Confined to the hub's event loop. */
final class HttpExchange {
    private static final int MOST_BYTES = 16 * 1024;

    private final HttpServerRequest request;
    private final @Nullable String agent;
    private final String parameter;
    private JsonObject body = new JsonObject();

    /**
     * Creates an exchange.
     *
     * @param agent the authenticated agent; null if there is none
     * @param parameter the value of the path parameter of its route
     */
    HttpExchange(HttpServerRequest request, @Nullable String agent, String parameter) {
        this.request = request;
        this.agent = agent;
        this.parameter = parameter;
    }

    HttpServerRequest request() {
        return request;
    }

    String agent() {
        if (agent == null) {
            throw HubError.unauthorized("this needs 'Authorization: Bearer TOKEN' with the token of an agent");
        }
        return agent;
    }

    String parameter() {
        return parameter;
    }

    /** Returns a required string of the body. */
    String text(String field, int longest) {
        return Frame.text(body, field, longest);
    }

    /** Returns a required name of the body. */
    String name(String field) {
        String name = text(field, 64);
        if (!Registry.NAME.matcher(name).matches()) {
            throw HubError.malformed("'" + field + "' may have letters, digits, '-' and '_'");
        }
        return name;
    }

    /** Reads the body, which must be a JSON object, and then continues. */
    void readBody(Consumer<HttpExchange> then) {
        Buffer bytes = Buffer.buffer();
        request.handler(chunk -> {
            if (bytes.length() + chunk.length() > MOST_BYTES) {
                request.handler(rest -> {});
                request.endHandler(end -> {});
                refuseBody();
            } else {
                bytes.appendBuffer(chunk);
            }
        });
        request.endHandler(end -> run(() -> {
            body = Frame.object(bytes.toString());
            then.accept(this);
        }));
        request.resume();
    }

    /** Responds and closes the connection, so that the rest of the body need not be read. */
    private void refuseBody() {
        request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        request.response().endHandler(sent -> request.connection().close());
        end(HubError.of(413, "too_large", "a body has at most " + MOST_BYTES + " bytes"));
    }

    /** Runs a step; an error becomes the response. */
    void run(Runnable part) {
        try {
            part.run();
        } catch (HubError e) {
            end(e);
        }
    }

    void end(int status, JsonObject answer) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(status)
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                .putHeader("Cache-Control", "no-store")
                .putHeader("X-Content-Type-Options", "nosniff")
                .end(answer.toBuffer());
        // Discards the unread part of a body.
        request.resume();
    }

    void end(HubError problem) {
        if (problem.status() == 401) {
            request.response().putHeader("WWW-Authenticate", "Bearer");
        }
        end(problem.status(), problem.body());
    }
}

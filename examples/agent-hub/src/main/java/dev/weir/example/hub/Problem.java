package dev.weir.example.hub;

import io.vertx.core.json.JsonObject;

/** An error of a client: an error frame on its WebSocket, or a status on HTTP. */
final class Problem extends RuntimeException {
    private final int status;
    private final String error;

    private Problem(int status, String error, String message) {
        // No stack trace: clients cause these errors, so they must be cheap.
        super(message, null, false, false);
        this.status = status;
        this.error = error;
    }

    /** A frame or body that violates the protocol. */
    static Problem malformed(String message) {
        return new Problem(400, "malformed", message);
    }

    static Problem unauthorized(String message) {
        return new Problem(401, "unauthorized", message);
    }

    static Problem forbidden(String message) {
        return new Problem(403, "forbidden", message);
    }

    static Problem notFound(String message) {
        return new Problem(404, "not_found", message);
    }

    static Problem conflict(String message) {
        return new Problem(409, "conflict", message);
    }

    /** A bound of the hub is reached, such as the length of its queue. */
    static Problem full(String message) {
        return new Problem(503, "full", message);
    }

    static Problem of(int status, String error, String message) {
        return new Problem(status, error, message);
    }

    int status() {
        return status;
    }

    JsonObject body() {
        return new JsonObject().put("error", error).put("message", getMessage());
    }
}

package dev.weir.example.hub;

import io.vertx.core.json.JsonObject;

/** An error of a client: an error frame on its WebSocket, or a status on HTTP. */
final class HubError extends RuntimeException {
    private final int status;
    private final String error;

    private HubError(int status, String error, String message) {
        // No stack trace: clients cause these errors, so they must be cheap.
        super(message, null, false, false);
        this.status = status;
        this.error = error;
    }

    /** A frame or body that violates the protocol. */
    static HubError malformed(String message) {
        return new HubError(400, "malformed", message);
    }

    static HubError unauthorized(String message) {
        return new HubError(401, "unauthorized", message);
    }

    static HubError forbidden(String message) {
        return new HubError(403, "forbidden", message);
    }

    static HubError notFound(String message) {
        return new HubError(404, "not_found", message);
    }

    static HubError conflict(String message) {
        return new HubError(409, "conflict", message);
    }

    /** A bound of the hub is reached, such as the length of its queue. */
    static HubError full(String message) {
        return new HubError(503, "full", message);
    }

    static HubError of(int status, String error, String message) {
        return new HubError(status, error, message);
    }

    int status() {
        return status;
    }

    JsonObject body() {
        return new JsonObject().put("error", error).put("message", getMessage());
    }
}

package dev.weir.server.http;

import dev.weir.ArgumentException;
import dev.weir.engine.json.Json;
import dev.weir.server.WeirServer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * An error response to a request, as a problem document (RFC 9457). A request that gets one has spent nothing.
 *
 * <p>It is an exception so that code at any depth can end the request with it. It has no stack trace, because clients
 * cause it.
 */
public final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());

    private final int status;
    private final String error;
    private final @Nullable String field;

    private ProblemException(int status, String error, @Nullable String field, String detail) {
        super(detail, null, false, false);
        this.status = status;
        this.error = error;
        this.field = field;
    }

    /** The request as a whole is malformed. */
    public static ProblemException badRequest(String detail) {
        return new ProblemException(400, "bad_request", null, detail);
    }

    /** One field is invalid. */
    public static ProblemException badField(String field, String detail) {
        return new ProblemException(400, "bad_request", field, detail);
    }

    /** The resource does not exist. */
    public static ProblemException notFound(String detail) {
        return new ProblemException(404, "not_found", null, detail);
    }

    public static ProblemException conflict(String detail) {
        return new ProblemException(409, "conflict", null, detail);
    }

    public static ProblemException of(int status, String error, String detail) {
        return new ProblemException(status, error, null, detail);
    }

    /** Returns the problem for a request that ended with an exception; for a bug it contains no details. */
    public static ProblemException caused(RuntimeException e) {
        if (e instanceof ProblemException problem) {
            return problem;
        }
        if (e instanceof ArgumentException argument) {
            return badField(argument.field(), String.valueOf(e.getMessage()));
        }
        if (e instanceof IllegalArgumentException) {
            return badRequest(String.valueOf(e.getMessage()));
        }
        // The stack trace names code of the server and contains no data of the client.
        LOG.log(Level.ERROR, "a request failed", e);
        return of(500, "internal_error", "internal error; the server's log has the details");
    }

    /** Returns the same problem with another status, for a caller that does not understand this one. */
    public ProblemException withStatus(int newStatus) {
        return new ProblemException(newStatus, error, field, String.valueOf(getMessage()));
    }

    public int status() {
        return status;
    }

    public String error() {
        return error;
    }

    @Nullable
    public String field() {
        return field;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }

    /** Returns the JSON document. {@code error} and {@code message} serve clients of the reference systems. */
    public byte[] document() {
        Json json = Json.newObject(256)
                .field("type", "about:blank")
                .field("title", StatusReason.title(status))
                .field("status", status)
                .field("detail", detail());
        if (field != null) {
            json.field("field", field);
        }
        return json.field("error", error).field("message", detail()).close('}').bytes();
    }
}

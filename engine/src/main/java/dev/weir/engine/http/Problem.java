package dev.weir.engine.http;

import dev.weir.engine.json.Json;

/**
 * A request that was rejected before any limit was checked, as a problem document (RFC 9457) with the members of the
 * reference systems.
 *
 * @param error a short name for programs
 * @param retryAfterSecs 0 if waiting does not help
 */
public record Problem(int status, String title, String error, String detail, int retryAfterSecs) {

    /** The request is malformed, as {@code detail} explains. */
    public static Problem badRequest(String detail) {
        return new Problem(400, "Bad Request", "bad_request", detail, 0);
    }

    public static Problem tooLarge(String detail) {
        return new Problem(413, "Content Too Large", "too_large", detail, 0);
    }

    public byte[] document() {
        return Json.newObject(256)
                .field("type", "about:blank")
                .field("title", title)
                .field("status", status)
                .field("detail", detail)
                .field("error", error)
                .field("message", detail)
                .close('}')
                .bytes();
    }
}

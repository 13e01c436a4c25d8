package dev.weir.engine.http;

import dev.weir.engine.json.Json;

/** Why a request was not even asked about, as a problem document (RFC 9457) with the members of the reference systems. */
public final class ProblemText {
    private ProblemText() {}

    /** The request is wrong, and this is how. */
    public static byte[] badRequest(String detail) {
        return document(400, "Bad Request", "bad_request", detail);
    }

    /**
     * Any problem.
     *
     * @param error a short name for programs
     */
    public static byte[] document(int status, String title, String error, String detail) {
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

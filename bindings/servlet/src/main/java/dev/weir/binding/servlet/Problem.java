package dev.weir.binding.servlet;

import dev.weir.engine.http.DecisionText;
import dev.weir.engine.http.HeaderName;
import dev.weir.engine.http.ProblemText;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Why a request was not even asked about, as a problem document (RFC 9457).
 *
 * @param retryAfterSecs 0 if waiting does not help
 */
record Problem(int status, String title, String error, String detail, int retryAfterSecs) {

    static Problem badRequest(String detail) {
        return new Problem(400, "Bad Request", "bad_request", detail, 0);
    }

    static Problem conflict(String detail, boolean passes) {
        return new Problem(409, "Conflict", "conflict", detail, passes ? 1 : 0);
    }

    static Problem tooLarge(String detail) {
        return new Problem(413, "Content Too Large", "too_large", detail, 0);
    }

    static Problem unprocessable(String detail) {
        return new Problem(422, "Unprocessable Content", "idempotency_key_reused", detail, 0);
    }

    /** Whether it was done before cannot be told, so it is not done. */
    static Problem unavailable() {
        return new Problem(503, "Service Unavailable", "unavailable", "Idempotency is temporarily unavailable", 60);
    }

    void send(HttpServletResponse response) throws IOException {
        response.setStatus(status);
        if (retryAfterSecs > 0) {
            response.setHeader(HeaderName.RETRY_AFTER, Integer.toString(retryAfterSecs));
        }
        write(response, ProblemText.document(status, title, error, detail));
    }

    static void write(HttpServletResponse response, byte[] document) throws IOException {
        write(response, DecisionText.PROBLEM_TYPE, document);
    }

    static void write(HttpServletResponse response, String contentType, byte[] document) throws IOException {
        response.setContentType(contentType);
        response.setContentLength(document.length);
        response.getOutputStream().write(document);
    }
}

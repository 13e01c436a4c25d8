package dev.weir.binding.servlet;

import dev.weir.engine.Outcome;
import dev.weir.engine.http.HeaderName;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.http.Problem;
import dev.weir.engine.idempotency.IdempotencyKeys;
import dev.weir.engine.idempotency.StoredResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Responds to requests that do not reach the application. */
final class FilterResponses {
    private FilterResponses() {}

    static void refuse(Outcome outcome, Refusal refusal, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        LimitedResponse.apply(outcome, isCrossOrigin(request), response, response::setHeader);
        response.setStatus(HttpDecision.status(outcome));
        refusal.write(request, response, outcome);
    }

    /** Replays a stored response. It is not a refusal, so it has no retry headers. */
    static void replay(StoredResponse stored, Outcome present, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        LimitedResponse.apply(present, isCrossOrigin(request), response, (name, value) -> {
            if (!name.equals(HeaderName.RETRY_AFTER)) {
                response.setHeader(name, value);
            }
        });
        response.setHeader(IdempotencyKeys.REPLAYED, "true");
        stored.copyHeaders(response::setHeader, response::addHeader);
        if (stored.isError()) {
            response.sendError(stored.status());
            return;
        }
        response.setStatus(stored.status());
        if (stored.contentType() != null) {
            response.setContentType(stored.contentType());
        }
        byte[] body = stored.body();
        response.setContentLength(body.length);
        if (body.length > 0) {
            response.getOutputStream().write(body);
        }
    }

    static void reject(Problem problem, HttpServletResponse response) throws IOException {
        response.setStatus(problem.status());
        if (problem.retryAfterSecs() > 0) {
            response.setHeader(HeaderName.RETRY_AFTER, Integer.toString(problem.retryAfterSecs()));
        }
        write(response, HttpDecision.PROBLEM_TYPE, problem.document());
    }

    static void write(HttpServletResponse response, String contentType, byte[] document) throws IOException {
        response.setContentType(contentType);
        response.setContentLength(document.length);
        response.getOutputStream().write(document);
    }

    /** Whether a script of another origin may read the response. */
    static boolean isCrossOrigin(HttpServletRequest request) {
        return request.getHeader("Origin") != null;
    }
}

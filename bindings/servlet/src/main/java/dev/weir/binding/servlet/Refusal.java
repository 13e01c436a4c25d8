package dev.weir.binding.servlet;

import dev.weir.engine.Outcome;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.http.RefusalBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Writes the body of the response to a refused request. Status and headers are set before. */
@FunctionalInterface
public interface Refusal {
    /** Writes a problem document (RFC 9457) with the additional members of all reference systems. */
    Refusal PROBLEM = (request, response, outcome) -> FilterResponses.write(
            response, HttpDecision.PROBLEM_TYPE, HttpDecision.problem(outcome, System.currentTimeMillis()));

    /**
     * Writes a body from a template with placeholders, such as <code>{"wait":{retry_after_secs}}</code>; see {@link
     * RefusalBody}.
     *
     * @throws IllegalArgumentException if a placeholder does not exist, or the content type is JSON and the template is
     *     not
     */
    static Refusal of(String contentType, String template) {
        RefusalBody body = RefusalBody.of(contentType, template);
        return (request, response, outcome) -> FilterResponses.write(response, contentType, body.bytes(outcome));
    }

    void write(HttpServletRequest request, HttpServletResponse response, Outcome outcome) throws IOException;

    /** Responds to a request that was refused elsewhere, such as by a limit on a method: status, headers and body. */
    default void answer(HttpServletRequest request, HttpServletResponse response, Outcome outcome) throws IOException {
        FilterResponses.refuse(outcome, this, request, response);
    }
}

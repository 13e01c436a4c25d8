package dev.weir.binding.servlet;

import dev.weir.engine.Outcome;
import dev.weir.engine.http.DecisionText;
import dev.weir.engine.http.RefusalBody;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Answers a request that a limit refuses. Status and headers are set already. */
@FunctionalInterface
public interface Refusal {
    /** A problem document (RFC 9457), which has the members of every reference system, too. */
    Refusal PROBLEM = (request, response, outcome) -> Answering.write(
            response, DecisionText.PROBLEM_TYPE, DecisionText.problem(outcome, System.currentTimeMillis()));

    /**
     * A body of a template with placeholders, such as <code>{"wait":{retry_after_secs}}</code>; see {@link RefusalBody}.
     *
     * @throws IllegalArgumentException if a placeholder does not exist, or the template is to be JSON and is not
     */
    static Refusal of(String contentType, String template) {
        RefusalBody body = RefusalBody.of(contentType, template);
        return (request, response, outcome) -> Answering.write(response, contentType, body.bytes(outcome));
    }

    void write(HttpServletRequest request, HttpServletResponse response, Outcome outcome) throws IOException;

    /** Answers a request that was refused elsewhere, such as by a limit on a method: status and headers, then this. */
    default void answer(HttpServletRequest request, HttpServletResponse response, Outcome outcome) throws IOException {
        Answering.refuse(outcome, this, request, response);
    }
}

package dev.weir.spring.servlet;

import dev.weir.binding.servlet.Refusal;
import dev.weir.binding.servlet.WeirFilter;
import dev.weir.engine.Outcome;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.http.Problem;
import dev.weir.spring.RateLimitCostException;
import dev.weir.spring.RateLimitedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Responds to a request whose method call was refused as the filter responds to a refused request. It precedes an
 * application's handlers of all exceptions, which would treat it as a failure. A handler for {@link
 * RateLimitedException} in a controller, or in an advice ordered before this one, takes precedence.
 */
@ControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE + 100)
final class RateLimitedAdvice {
    private final Refusal refusal;

    RateLimitedAdvice(Refusal refusal) {
        this.refusal = refusal;
    }

    @ExceptionHandler
    void refused(RateLimitedException refused, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (response.isCommitted()) {
            // The response is committed. The client sees that it is cut off.
            throw refused;
        }
        Outcome outcome = request.getAttribute(WeirFilter.OUTCOME) instanceof Outcome earlier
                ? refused.outcome().after(earlier)
                : refused.outcome();
        response.resetBuffer();
        refusal.answer(request, response, outcome);
    }

    @ExceptionHandler
    void withoutCost(RateLimitCostException wrong, HttpServletResponse response) throws IOException {
        byte[] document = Problem.badRequest(String.valueOf(wrong.getMessage())).document();
        response.resetBuffer();
        response.setStatus(HttpServletResponse.SC_BAD_REQUEST);
        response.setContentType(HttpDecision.PROBLEM_TYPE);
        response.setContentLength(document.length);
        response.getOutputStream().write(document);
    }
}

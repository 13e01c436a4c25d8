package dev.weir.binding.servlet;

import dev.weir.engine.Outcome;
import dev.weir.engine.http.HttpDecision;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.BiConsumer;

/** A response that keeps its rate-limit headers, also when the application resets it. */
class LimitedResponse extends ObservedResponse {
    private static final String EXPOSE = "Access-Control-Expose-Headers";

    private final boolean isCrossOrigin;
    private volatile Outcome outcome;

    /** @param isCrossOrigin whether a script of another origin may read the response */
    LimitedResponse(HttpServletResponse response, Outcome outcome, boolean isCrossOrigin) {
        super(response);
        this.outcome = outcome;
        this.isCrossOrigin = isCrossOrigin;
        apply();
    }

    /** Replaces the outcome that the headers show. */
    void tell(Outcome newOutcome) {
        outcome = newOutcome;
        apply();
    }

    /** Updates the headers to the state of the limits after they know this status. */
    void complete(int status) {
        tell(outcome.completed(status));
    }

    /** Sets the headers, if the response is not yet committed. */
    final void apply() {
        HttpServletResponse response = (HttpServletResponse) getResponse();
        if (!response.isCommitted() && !outcome.isUntouched()) {
            apply(outcome, isCrossOrigin, response, response::setHeader);
        }
    }

    static void apply(
            Outcome outcome, boolean isCrossOrigin, HttpServletResponse response, BiConsumer<String, String> headers) {
        HttpDecision.headers(outcome, System.currentTimeMillis(), headers);
        if (isCrossOrigin && !response.getHeaders(EXPOSE).contains(HttpDecision.EXPOSED)) {
            response.addHeader(EXPOSE, HttpDecision.EXPOSED);
        }
    }

    @Override
    public void reset() {
        super.reset();
        apply();
    }
}

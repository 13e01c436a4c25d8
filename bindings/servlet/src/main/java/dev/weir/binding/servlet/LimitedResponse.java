package dev.weir.binding.servlet;

import dev.weir.engine.Outcome;
import dev.weir.engine.http.DecisionText;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.BiConsumer;

/** A response that keeps the headers of its decision, also when the application begins it anew. */
class LimitedResponse extends ObservedResponse {
    private static final String EXPOSE = "Access-Control-Expose-Headers";

    private final boolean isCrossOrigin;
    private volatile Outcome outcome;

    /** @param isCrossOrigin whether a page of another origin may be reading */
    LimitedResponse(HttpServletResponse response, Outcome outcome, boolean isCrossOrigin) {
        super(response);
        this.outcome = outcome;
        this.isCrossOrigin = isCrossOrigin;
        apply();
    }

    /** Tells of another decision from now on. */
    void tell(Outcome newOutcome) {
        outcome = newOutcome;
        apply();
    }

    /** Tells of the same decision once the limits know of this status. */
    void complete(int status) {
        tell(outcome.completed(status));
    }

    /** Sets the headers on whatever is left to be sent. */
    final void apply() {
        HttpServletResponse response = (HttpServletResponse) getResponse();
        if (!response.isCommitted() && !outcome.isUntouched()) {
            apply(outcome, isCrossOrigin, response, response::setHeader);
        }
    }

    static void apply(
            Outcome outcome, boolean isCrossOrigin, HttpServletResponse response, BiConsumer<String, String> headers) {
        DecisionText.headers(outcome, System.currentTimeMillis(), headers);
        if (isCrossOrigin && !response.getHeaders(EXPOSE).contains(DecisionText.EXPOSED)) {
            response.addHeader(EXPOSE, DecisionText.EXPOSED);
        }
    }

    @Override
    public void reset() {
        super.reset();
        apply();
    }
}
